"""A LiteX user's session, in a fresh environment: litex_sim to the prompt of LiteX's BIOS, LiteX's demo by litex_term."""
import re

import pytest

from tests.litex.conftest import BUILD
from tests.litex.terminal import Terminal

PROMPT = b"litex\x1b[0m> "
PATIENCE = 1200
"""Seconds for what takes two minutes on an idle machine."""


@pytest.fixture(scope="module")
def simulator(user):
    folder = BUILD / "session"
    folder.mkdir(parents=True, exist_ok=True)
    terminal = Terminal(["litex_sim", "--cpu-type", "heapwire", "--cpu-variant", "tiny", "--with-sdram"], folder, user.environment)
    try:
        yield terminal
    finally:
        terminal.close()


def test_the_bios_comes_to_its_prompt(simulator):
    said = simulator.until(PROMPT, PATIENCE)
    assert "BIOS CRC passed" in said and "Memtest OK" in said
    assert re.search(r"CPU.*Heapwire tiny @ 1MHz", said) and re.search(r"MAIN-RAM.*64.0MiB", said)


def test_the_bios_reads_and_writes_memory(simulator):
    simulator.send(b"mem_write 0x43ffff00 0xcafe1234 4\nmem_read 0x43ffff00 16\n")
    assert "34 12 fe ca 34 12 fe ca" in simulator.until(b"34 12 fe ca 34 12 fe ca", 60)
    simulator.until(PROMPT, 60)


def test_the_demo_is_built_and_uploaded_by_litex_term(simulator, user):
    """Frame by frame (`--safe`): litex_term measures a line by its own clock, which goes much faster than the simulation's."""
    folder = BUILD / "session"
    user.run("litex_bare_metal_demo", "--build-path", "build/sim", cwd=folder)
    term = Terminal([user.bin / "litex_term", "--safe", "--kernel", "demo.bin", simulator.name], folder, user.environment)
    try:
        term.send(b"\nserialboot\n")
        assert "Upload complete" in term.until(b"litex-demo-app\x1b[0m> ", 300)
        term.send(b"help\n")
        term.until(b"Reboot CPU", 60)
    finally:
        term.close()
