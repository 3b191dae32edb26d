"""Unmodified GDB and OpenOCD at the simulated core, through its JTAG pins."""

import re
import time

import pytest

from heapwire import debug, interface, simulation
from heapwire.program.program import read
from heapwire.program.run import build
from tests.common.run import python, run
from tests.debug.fake_tap import FakeTap
from tests.debug.gdb import Gdb
from tests.soc.program import program

ROUNDS, BYTES = 4, 320
CUSTOM_0, SUBMIT = 0x0B, 1
NO_SERVERS = ["-c", "gdb_port disabled; tcl_port disabled; telnet_port disabled"]


@pytest.fixture(scope="module")
def elf():
    return program("debug")


@pytest.fixture
def session(elf):
    with debug.simulated(elf) as (running, command), Gdb(command) as gdb:
        gdb.simulation = running
        yield gdb


def commands(gdb):
    """Returns the number of commands that the copy unit has received. The debugger calls the driver's own function."""
    return gdb.value("((unsigned (*)(unsigned, unsigned))hw_unit_counter)(0, 0)")


def is_submit(word):
    return word & 0x7F == CUSTOM_0 and word >> 12 & 7 == SUBMIT


def test_a_driver_is_debugged(session):
    gdb = session
    assert gdb.value("$pc") == 0x40000000, "before the program"
    # Breakpoints in hardware and in software.
    assert "Hardware assisted breakpoint 1" in gdb("hbreak main")
    assert "Breakpoint 1" in gdb("continue")
    assert "Breakpoint 2" in gdb("break *hw_copy")
    for number in (1, 2):
        assert "Breakpoint 2" in gdb("continue")
        assert gdb.value("$pc") == gdb.value("(unsigned)&hw_copy")
        assert gdb.value("*(unsigned *)&round_number") == number
        assert "main" in gdb("backtrace")
    assert gdb.value("$a2") == BYTES and gdb.value("$a1") == gdb.value("(unsigned)&source")
    assert commands(gdb) == 1
    assert gdb.value("$pc") == gdb.value("(unsigned)&hw_copy"), "the call left everything as it was"

    # Step by instruction through the driver, over the instruction that commands the unit.
    gdb("delete 2")
    start = gdb.value("(unsigned)&hw_copy")
    words = [int(word, 16) for word in re.findall(r"\t(0x\w+)", gdb("x/80xw &hw_copy"))]
    at = next(start + 4 * i for i, word in enumerate(words) if is_submit(word))
    assert "reakpoint 3" in gdb(f"tbreak *{at - 8}")
    gdb("continue")
    gdb("stepi 2")
    assert gdb.value("$pc") == at
    rd = words[(at - start) // 4] >> 7 & 31
    gdb("stepi")
    assert gdb.value("$pc") == at + 4
    assert gdb.value(f"$x{rd}") < 16, "a tag"
    assert commands(gdb) == 2, "the command was issued exactly once"

    # Read and write registers and memory. The debugger sees what the unit has written.
    assert "reakpoint 4" in gdb("hbreak *hw_copy")
    assert "Breakpoint 4" in gdb("continue")
    for i in (0, 1, BYTES - 1):
        assert gdb.value(f"*((unsigned char *)&target + {i})") == (2 * 31 + i) % 256
    gdb("set var $t3 = 0x12345678")
    gdb("set var *(unsigned short *)((char *)&source + 6) = 0xbeef")
    assert gdb.value("$t3") == 0x12345678 and gdb.value("*(unsigned short *)((char *)&source + 6)") == 0xBEEF
    assert gdb.value("*(unsigned *)0x30000000") == 0xFFFFFFFF, "nobody is there"
    gdb("continue")
    assert gdb.value("*(unsigned short *)((char *)&target + 6)") == 0xBEEF, "the unit reads what the debugger wrote"
    assert gdb.value("*(unsigned *)&round_number") == ROUNDS

    # Stop a running core.
    gdb("delete")
    gdb.start("continue")
    time.sleep(2)
    gdb.interrupt()
    assert "SIGINT" in gdb.answer()
    assert gdb.value("*(unsigned *)&waited") > 0
    gdb("set var *(unsigned *)&released = 1")
    gdb.start("continue")
    result = gdb.simulation.end(timeout=60)
    assert (result.reason, result.code) == ("finish", 0)
    assert "Remote connection closed" in gdb.answer()


def test_reset_and_start_over(session):
    gdb = session
    assert "reakpoint 1" in gdb("hbreak *hw_copy")
    for number, reset, at in ((1, "halt", 0), (2, None, None), (1, "init", 0x40000000)):
        if reset:
            gdb(f"monitor reset {reset}")
            assert gdb.value("$pc") == at
        gdb("continue")
        assert gdb.value("*(unsigned *)&round_number") == number
    assert commands(gdb) == 1, "the units were not reset, and nothing was repeated"


def debugged(elf, *commands, loads=()):
    """Runs `heapwire debug` without a terminal, and GDB with these commands from main on."""
    words = [word for command in ("tbreak main", "continue", *commands) for word in ("-ex", command)]
    loads = [word for load in loads for word in ("--load", load)]
    return python("heapwire", "debug", "--elf", elf, *loads, "--", "-batch", *words, timeout=300)


def test_it_is_told_how_the_program_ended(elf):
    """`heapwire debug` starts everything, stops at main, and ends everything."""
    done = debugged(elf, "set var released = 1", "continue")
    assert re.search(r"^The program ended with code 0, after [\d,]+ cycles\.$", done.stderr, re.M), done.stderr
    done = debugged(elf, "info registers pc", "kill")
    assert done.returncode == 0 and re.search(r"^pc .*<main", done.stdout, re.M), done.stdout + done.stderr
    assert re.search(r"^The program had not ended, after [\d,]+ cycles\.$", done.stderr, re.M), done.stderr


def test_programs_have_lines(elf):
    done = debugged(elf, "info line main", "list main", "kill")
    assert re.search(r'^Line \d+ of ".*debug/program.c" starts at address', done.stdout, re.M), done.stdout
    assert "int main(void)" in done.stdout


def test_a_program_built_for_it_shows_its_variables(tmp_path):
    """Of a file whose path has blanks."""
    source = tmp_path / "two words" / "my sum.c"
    source.parent.mkdir()
    source.write_text("""static int sum(int first, int second) {
    int total = 2 * first;
    total += second;
    return total;
}
int main(void) {
    int last = sum(20, 2);
    return last - 42;
}
""")
    elf = build(read([source], [], None), print, print, debug=True)
    done = debugged(elf, "break 4", "continue", "info args", "info locals", "finish", "info locals", "kill")
    for line in ("first = 20", "second = 2", "total = 42", "last = 42"):
        assert re.search(f"^{line}$", done.stdout, re.M), done.stdout


def test_data_are_in_memory_before_the_program(elf, tmp_path):
    (tmp_path / "first").write_bytes(bytes.fromhex("0df0adde"))
    (tmp_path / "second").write_bytes(bytes.fromhex("efbe"))
    loads = f"0x42000000={tmp_path}/first", f"{0x4300_0000}={tmp_path}/second"
    done = debugged(elf, "x/1xw 0x42000000", "x/1xh 0x43000000", "kill", loads=loads)
    for line in (r"0x42000000:\s+0xdeadf00d", r"0x43000000:\s+0xbeef"):
        assert re.search(f"^{line}$", done.stdout, re.M), done.stdout


@pytest.mark.parametrize("load", ["0x42000000", "here=/dev/null", "0x42000000=/nosuch", "-4=/dev/null"])
def test_data_of_nowhere_are_refused(load, elf):
    done = python("heapwire", "debug", "--elf", elf, "--load", load)
    assert done.returncode == 2 and "expected ADDRESS=FILE" in done.stderr


@pytest.mark.parametrize("idcode, code", [(None, 0), (0x4BA00477, 1), (0x10002FFF, 1)])
def test_a_wrong_part_ends_openocd(idcode, code):
    tap = FakeTap(expected_idcode() if idcode is None else idcode)
    commands = "-c", f"set JTAG_PORT {tap.port}", "-f", "sim/openocd.cfg", "-c", "init; shutdown"
    done = run("openocd", *NO_SERVERS, *commands, timeout=60)
    assert done.returncode == code
    assert (f"Error: heapwire: TAP heapwire.tap has IDCODE 0x{idcode or 0:08x}" in done.stderr) == bool(code)


def expected_idcode():
    return interface.load(simulation.parts().gen / "heapwire.json").cluster["jtagIdCode"]


@pytest.mark.parametrize("config", sorted(debug.BOARDS.glob("*.cfg")), ids=lambda file: file.stem)
def test_openocd_parses(config):
    """OpenOCD reads every file, up to the point where it would open the adapter."""
    done = run("openocd", *NO_SERVERS, "-f", config, "-c", "shutdown", timeout=30)
    assert done.returncode == 0 and "Error" not in done.stderr, done.stderr
