"""Heapwire as a CPU of LiteX: `--cpu-type heapwire` (docs/litex.md).

`hook` makes LiteX know the CPU, `core` is its class, `cluster` generates its Verilog, or finds it in a cache. This
module is imported whenever Python starts, and so imports nothing.
"""
