"""A user's own C program on the simulated SoC: `heapwire program`, `make program` (docs/start/program.md)."""

MAX_CYCLES = 50_000_000
"""Cycles after which a program that has not ended is stopped: some two minutes of simulation."""
