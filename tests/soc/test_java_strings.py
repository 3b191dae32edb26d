"""java.lang.String on the simulated SoC. tests/java compares the same code with a real JVM on the host."""

import struct

from heapwire import interface as interface_module
from heapwire.workload.place import load_base
from sim.run import run
from tests.soc.program import program

TEXTS = [
    "plain",
    "",
    "caf\u00e9",
    "\u20ac 5",
    "\U0001f600 and \U00010348",
    "x" * 200,
    "\u00ff" * 63 + "\u0100",
    "\0 zero",
]


def line(text):
    """Returns the program's line for a string, by Java's rules."""
    units = [unit for (unit,) in struct.iter_unpack("<H", text.encode("utf-16-le"))]
    code = 0
    for unit in units:
        code = (31 * code + unit) & 0xFFFFFFFF
    code -= (code & 0x80000000) << 1
    return (
        f"{''.join(f'{unit:04x}' for unit in units)} {int(any(unit > 255 for unit in units))} {code} "
        f"{text.encode().hex()}"
    )


def test_strings_survive_collections():
    data = b"".join(
        struct.pack("<I", len(text.encode()) + 1) + text.encode() + bytes(-(len(text.encode()) + 1) % 4 + 1)
        for text in TEXTS
    ) + bytes(4)
    result = run(
        program("java_strings"), loads=[(load_base(interface_module.load()), data)], max_cycles=60_000_000
    ).check()
    assert result.uart.decode().splitlines() == [line(text) for text in TEXTS]
