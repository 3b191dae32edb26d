"""The report: each figure of the papers beside ours, from the rows of the benches. `python -m study.report` makes
the page (study/docs/report.md)."""
