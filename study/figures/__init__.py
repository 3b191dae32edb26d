"""Every figure and table of the five papers, and ours: a file a paper. A figure is data (study.report.figure)."""
