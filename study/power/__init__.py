"""Relative power of the cluster's modules: their switching in the simulation times the cells that they are made of
(study/docs/power.md)."""
