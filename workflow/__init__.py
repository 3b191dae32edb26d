"""What a report measures, and when it has to measure again (docs/howto/report.md)."""
