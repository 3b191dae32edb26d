"""Prints what tells the simulated machine of the environment (CONFIG, DATA_WIDTH, UNIT_CLOCK, LIKE, STOCK) from another: `python -m heapwire.report.machine`."""
from heapwire.bench.identity import machine
from heapwire.simulation import parts

if __name__ == "__main__":
    print(machine(parts()))
