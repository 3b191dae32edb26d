"""A LiteX user's session in a fresh environment: litex_sim up to the prompt of LiteX's BIOS, and LiteX's demo by
litex_term."""

import re
import shutil

import pytest

from base.repository import ROOT
from tests.litex.conftest import BUILD
from tests.litex.terminal import Terminal

PROMPT = b"litex\x1b[0m> "
SESSION = BUILD / "session"
VARIANT = "messages"
"""The smallest variant with the protobuf engine and the copy unit, which a program below uses. The Makefile generates
its cluster beforehand."""
DRIVERS = ("copy.o", "capability.o", "platform.o")
PATIENCE = 3600
"""Seconds to wait for something that takes two minutes on an idle machine."""


@pytest.fixture(scope="module")
def simulator(user):
    SESSION.mkdir(parents=True, exist_ok=True)
    terminal = Terminal(
        ["litex_sim", "--cpu-type", "heapwire", "--cpu-variant", VARIANT, "--with-sdram"], SESSION, user.environment
    )
    try:
        yield terminal
    finally:
        terminal.close()


def test_the_bios_comes_to_its_prompt(simulator):
    said = simulator.until(PROMPT, PATIENCE)
    assert "BIOS CRC passed" in said and "Memtest OK" in said
    assert re.search(rf"CPU.*Heapwire {VARIANT} @ 1MHz", said) and re.search(r"MAIN-RAM.*64.0MiB", said)


def test_the_bios_reads_and_writes_memory(simulator):
    simulator.send(b"mem_write 0x43ffff00 0xcafe1234 4\nmem_read 0x43ffff00 16\n")
    assert "34 12 fe ca 34 12 fe ca" in simulator.until(b"34 12 fe ca 34 12 fe ca", 60)
    simulator.until(PROMPT, 60)


def upload(simulator, program, user):
    """Uploads a program at the BIOS's prompt with litex_term. Returns litex_term, which goes on running.

    `--safe` sends frame by frame. Otherwise litex_term measures the line by the wall clock, which runs much faster than
    the simulated one."""
    term = Terminal([user.bin / "litex_term", "--safe", "--kernel", program, simulator.name], SESSION, user.environment)
    term.send(b"\nserialboot\n")
    return term


def test_the_demo_is_built_and_uploaded_by_litex_term(simulator, user):
    user.run("litex_bare_metal_demo", "--build-path", "build/sim", cwd=SESSION)
    term = upload(simulator, "demo.bin", user)
    try:
        assert "Upload complete" in term.until(b"litex-demo-app\x1b[0m> ", PATIENCE)
        term.send(b"help\n")
        term.until(b"Reboot CPU", PATIENCE)
    finally:
        term.close()


def test_a_program_reboots_into_the_bios(simulator):
    """LiteX's simulation resets only the CPU. The memory requests of the CPU end meanwhile."""
    simulator.send(b"reboot\n")
    said = simulator.until(PROMPT, PATIENCE)
    assert "BIOS CRC passed" in said and "Memtest OK" in said


def test_a_program_uses_a_driver(simulator, user):
    """The demo's folder with another main, and with drivers from the place that variables.mak names. The BIOS, which
    the last test has rebooted, loads it."""
    folder = SESSION / "program"
    shutil.rmtree(folder, ignore_errors=True)  # left by another environment, whose file names it contains
    shutil.copytree(SESSION / "demo", folder, ignore=shutil.ignore_patterns("*.o", "*.d", "demo.*", "main.c"))
    shutil.copy(ROOT / "tests" / "litex" / "copy.c", folder / "main.c")
    search = "$(CPU_DIRECTORY)/firmware"
    user.run(
        "make",
        f"BUILD_DIR={SESSION / 'build' / 'sim'}",
        f"OBJECTS=crt0.o main.o {' '.join(DRIVERS)}",
        f"VPATH=$(CPU_DIRECTORY):{search}/units:{search}/copy:{search}/litex",
        cwd=folder,
    )
    term = upload(simulator, folder / "demo.bin", user)
    try:
        term.until(b"copy units 1, status 0, same 1, fallbacks 0", PATIENCE)
    finally:
        term.close()
