"""Open synthesis of the cluster: the cost of its units (docs/reference/area.md)."""
