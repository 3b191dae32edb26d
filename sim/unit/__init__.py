"""Single units in Verilator, over a memory with random latency."""
