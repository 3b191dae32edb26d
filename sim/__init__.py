"""Simulation of the Heapwire SoC in Verilator: generator, harness and Python API."""
