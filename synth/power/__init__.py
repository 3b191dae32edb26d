"""Relative power of the cluster's modules: how often they switch in the simulation, times what they are made of (docs/power.md)."""
