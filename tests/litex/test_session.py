"""A LiteX user's session in a fresh environment. First the program of docs/howto/litex.md, in the main memory of
litex_sim; then other programs on the same simulator; then LiteX's BIOS up to its prompt, and LiteX's demo by
litex_term."""

import re
import shutil
from contextlib import contextmanager

import pytest

from base.repository import ROOT
from tests.litex.conftest import BUILD, PACKAGES
from tests.litex.terminal import Terminal

PROMPT = b"litex\x1b[0m> "
SESSION = BUILD / "session"
SOC = SESSION / "build" / "sim"
VARIANT = "messages"
"""The smallest variant with the protobuf engine and the copy unit, which the programs use. The Makefile generates its
cluster beforehand."""
SIMULATION = ("litex_sim", "--cpu-type", "heapwire", "--cpu-variant", VARIANT, "--with-sdram")
SOFTWARE = (*SIMULATION, "--no-compile-gateware")
"""Builds all but the simulator, which reads the memories' contents when it starts."""
PATIENCE = 3600
"""Seconds to wait for something that takes two minutes on an idle machine."""


@pytest.fixture(scope="module")
def software(user):
    """LiteX's software for the SoC."""
    SESSION.mkdir(parents=True, exist_ok=True)
    user.run(*SOFTWARE, cwd=SESSION)


@pytest.fixture(scope="module")
def greeted(user, software):
    """Returns what the simulator says, from its compilation to the end of the example."""
    shutil.rmtree(SESSION / "greet", ignore_errors=True)
    user.run("heapwire_example", "greet", cwd=SESSION)
    user.run("make", "-C", "greet", cwd=SESSION)
    with running(user, [*SIMULATION, "--sdram-init", "greet/greet.bin", "--jobs", "2"], SESSION) as simulator:
        return simulator.until(b"program: exit code 0", PATIENCE)


@contextmanager
def running(user, command, folder):
    terminal = Terminal(command, folder, user.environment)
    try:
        yield terminal
    finally:
        terminal.close()


def test_the_example_reads_and_writes_messages(greeted):
    said = greeted.replace("\r", "")
    assert "Hello Ada, visit number 3.\nHello Grace, visit number 1.\n20 bytes: 0a 07" in said
    assert "Messages that software did: 0." in said


@pytest.fixture(scope="module")
def programs(user, software):
    """Returns a function that builds a program of tests/litex/programs, and returns its folder."""
    folder = SESSION / "programs"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "tests" / "litex" / "programs", folder)
    shutil.copytree(ROOT / "examples" / "nanopb", folder / "nanopb")

    def build(name, *variables):
        user.run("make", f"NAME={name}", f"BUILD_DIR={SOC}", *variables, cwd=folder)
        return folder

    return build


NANOPB = ("LIBRARIES=nanopb", f"NANOPB={PACKAGES.parent / 'nanopb'}", "PROTO=nanopb/guests.proto", "DATA=")


@pytest.mark.parametrize(
    "name, variables, words",
    [
        ("copy", (), ["copy units 1, status 0, same 1, fallbacks 0"]),
        (
            "nanopb",
            NANOPB,
            ["Hello Ada, visit number 100.", "cut: parent stream too short", "by the engine: 100 read, 100 written"],
        ),
        ("without", ("WITHOUT=collector codec",), ["codec left out: 1", "collector left out: 1 after"]),
    ],
)
def test_another_program_needs_no_other_simulator(name, variables, words, user, programs, greeted):
    image = programs(name, *variables) / f"{name}.bin"
    user.run(*SOFTWARE, "--sdram-init", image, cwd=SESSION)
    with running(user, ["obj_dir/Vsim"], SOC / "gateware") as simulator:
        said = simulator.until(b"program: exit code 0", PATIENCE)
    assert [text for text in words if text not in said] == []


@pytest.mark.parametrize(
    "left_out, text, bss", [("printf", 42 << 10, 16 << 10), ("printf collector codec", 24 << 10, 16 << 10)]
)
def test_a_program_is_small(left_out, text, bss, user, programs):
    """A program that reads and writes one message, in bytes. Its heap is no part of its bss."""
    folder = programs("message", f"WITHOUT={left_out}")
    sizes = user.run("riscv64-unknown-elf-size", "message.elf", cwd=folder).splitlines()[1].split()
    assert int(sizes[0]) <= text and int(sizes[2]) <= bss


def test_what_cannot_be_left_out(user, programs):
    with pytest.raises(AssertionError, match="there is no heap. What to do"):
        programs("message", "WITHOUT=heap")


def test_a_misspelt_variable_is_an_error(user, programs):
    with pytest.raises(AssertionError, match="the variable PROTOS is none that is read. What to do: name it PROTO"):
        programs("message", "PROTOS=order.proto")


def test_the_drivers_are_compiled_once_for_a_soc(user, programs):
    """Another program, in another folder, finds their object files."""
    folder = programs("message", "OUT=first")
    (drivers,) = (SOC / "software" / "heapwire").iterdir()
    before = {file.name: file.stat().st_mtime_ns for file in drivers.glob("*.o")}
    programs("copy", "OUT=second")
    assert before == {file.name: file.stat().st_mtime_ns for file in drivers.glob("*.o")} and len(before) > 50
    assert not list((folder / "second" / "objects").glob("firmware_runtime_*.o"))


@pytest.fixture(scope="module")
def simulator(user, greeted):
    """The BIOS without a program."""
    user.run(*SOFTWARE, cwd=SESSION)
    with running(user, ["obj_dir/Vsim"], SOC / "gateware") as terminal:
        yield terminal


def test_the_bios_comes_to_its_prompt(simulator):
    said = simulator.until(PROMPT, PATIENCE)
    assert "BIOS CRC passed" in said and "Memtest OK" in said
    assert re.search(rf"CPU.*Heapwire {VARIANT} @ 1MHz", said) and re.search(r"MAIN-RAM.*64.0MiB", said)


def test_the_bios_reads_and_writes_memory(simulator):
    simulator.send(b"mem_write 0x43ffff00 0xcafe1234 4\nmem_read 0x43ffff00 16\n")
    assert "34 12 fe ca 34 12 fe ca" in simulator.until(b"34 12 fe ca 34 12 fe ca", 60)
    simulator.until(PROMPT, 60)


def test_the_demo_is_built_and_uploaded_by_litex_term(simulator, user):
    """`--safe` sends frame by frame. Otherwise litex_term measures the line by the wall clock, which runs much faster
    than the simulated one."""
    user.run("litex_bare_metal_demo", "--build-path", "build/sim", cwd=SESSION)
    command = [user.bin / "litex_term", "--safe", "--kernel", "demo.bin", simulator.name]
    with running(user, command, SESSION) as term:
        term.send(b"\nserialboot\n")
        assert "Upload complete" in term.until(b"litex-demo-app\x1b[0m> ", PATIENCE)
        term.send(b"help\n")
        term.until(b"Reboot CPU", PATIENCE)


@pytest.mark.full
def test_the_bios_of_an_i5_boots_from_the_serial_line(user, greeted):
    """Without its console the BIOS has room on the part: it waits for litex_term at its start, and boots what comes."""
    small = SESSION / "small"
    user.run(*SOFTWARE, "--bios-console", "disable", "--bios-lto", "--output-dir", small, cwd=SESSION)
    shutil.copytree(SOC / "gateware" / "modules", small / "gateware" / "modules", dirs_exist_ok=True)
    user.run("litex_bare_metal_demo", "--build-path", small, cwd=SESSION)
    with running(user, [SOC / "gateware" / "obj_dir" / "Vsim"], small / "gateware") as simulator:
        command = [user.bin / "litex_term", "--safe", "--kernel", "demo.bin", simulator.name]
        with running(user, command, SESSION) as term:
            term.until(b"litex-demo-app\x1b[0m> ", PATIENCE)


def test_a_program_reboots_into_the_bios(simulator):
    """LiteX's simulation resets only the CPU. The memory requests of the CPU end meanwhile."""
    simulator.send(b"reboot\n")
    said = simulator.until(PROMPT, PATIENCE)
    assert "BIOS CRC passed" in said and "Memtest OK" in said
