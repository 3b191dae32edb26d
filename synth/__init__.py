"""Open synthesis of the cluster: the cost of its units (docs/results/area.md)."""
