"""Writes the demo's messages as a file for a machine's memory: `python -m heapwire.workload FILE`."""

import sys
from pathlib import Path

from heapwire import interface
from heapwire.workload.group import Group, pack
from heapwire.workload.messages import demo_cases

if __name__ == "__main__":
    schema, cases = demo_cases()
    Path(sys.argv[1]).write_bytes(pack(Group("demo", schema, cases[:-1]), interface.load()))
