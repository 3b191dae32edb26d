"""What a report measures, and when it has to measure again (docs/report.md)."""
