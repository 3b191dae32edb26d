"""The report: each figure of the papers beside ours, from the rows of the benches. `python -m heapwire.report` makes
the page (docs/howto/report.md)."""
