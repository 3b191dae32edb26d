"""What a report measures, and when it has to measure again (study/docs/report.md)."""
