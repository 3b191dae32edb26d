"""Open synthesis of the cluster: what its units cost (docs/area.md)."""
