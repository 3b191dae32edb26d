"""Single units, Verilated, over a memory with random latency."""
