"""Units alone, Verilated, over a memory with random latency."""
