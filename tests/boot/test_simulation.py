"""A board's boot ROM on the simulated SoC: its delays, its memory test, and a program over the UART."""

import shutil
import socket
import zlib

import pytest
from litex.tools.litex_term import sfl_magic_ack, sfl_magic_req

from heapwire import firmware
from heapwire.client.monitor import Monitor
from heapwire.client.transport import connect
from heapwire.simulation import parts as default_parts
from sim.run import Build, Simulation
from soc import boot
from tests.boot.conftest import ROOT
from tests.boot.sfl import BASE, jump, load
from tests.common import bare
from tests.common.run import RISCV, checked

LIMIT = 20_000_000
PATIENCE = 600  # the memory test alone takes two million cycles, and the machine may be busy
CODE, EXIT_CODE = 0x4400_0000, 7
CHUNK = 251
# bytes from the start of memory that the ROM's memory test covers; above them it tests one word at each power of two
TESTED_BYTES = 8192


@pytest.fixture(scope="module")
def build():
    return Build.of()


@pytest.fixture(scope="module")
def roms(build, tmp_path_factory):
    """Returns the SoC's memory images with a board's ROM."""
    folder = tmp_path_factory.mktemp("roms")
    words = boot.build(folder / "boot", build.soc / "include", AS_BOARD=1)
    for image in build.soc.glob("*.init"):
        shutil.copy(image, folder)
    (folder / "heapwire_soc_rom.init").write_text("".join(f"{word:x}\n" for word in words))
    return folder


@pytest.fixture(scope="module")
def echo(build, tmp_path_factory):
    """Returns the program of tests/sim as raw bytes. It says hello, echoes a line, and ends with the code in memory."""
    folder = tmp_path_factory.mktemp("echo")
    bare.compile(build, folder / "echo.elf", "start.S", "echo.c")
    checked(f"{RISCV}objcopy", "-O", "binary", folder / "echo.elf", folder / "echo.bin")
    return (folder / "echo.bin").read_bytes()


def upload(stream, image, more=()):
    """Acknowledges the request, sends `image` and `more`, pairs of offset and bytes, and starts the program."""

    def answer(frame):
        stream.write(frame)
        stream.flush()
        return stream.read(1)

    stream.write(b"noise" + sfl_magic_ack)
    assert answer(load(BASE - 4, b"ROM?")) == b"E"
    for start in range(0, len(image), CHUNK):
        assert answer(load(BASE + start, image[start : start + CHUNK])) == b"K"
    for offset, data in (*more, (CODE - BASE, bytes([EXIT_CODE]))):
        assert answer(load(BASE + offset, data)) == b"K"
    assert answer(jump(0x1000_0000)) == b"E"
    assert answer(jump(BASE)) == b"K"
    assert stream.readline() == b"boot: starting the program at 40000000\n"


def test_a_program_comes_over_the_uart(roms, echo):
    with Simulation(None, arguments=["--directory", roms, "--max-cycles", LIMIT]) as simulation:
        with socket.create_connection(("127.0.0.1", simulation.port), timeout=PATIENCE) as link:
            stream = link.makefile("rwb")
            megabytes = Build.of().facts()["memory"]["bytes"] >> 20
            assert stream.readline() == b"boot: memory test passed, %d MB at 40000000\n" % megabytes
            assert stream.readline() == b"boot: waiting for a program (litex_term --kernel FILE PORT): " + sfl_magic_req
            upload(stream, echo)
            assert stream.readline() == b"hello\n"
            stream.write(b"over the same line\n")
            stream.flush()
            assert stream.readline() == b"over the same line\n"
        result = simulation.end(timeout=PATIENCE)
    print(f"{result.cycles} cycles")
    assert (result.reason, result.code) == ("finish", EXIT_CODE)


@pytest.mark.full
def test_the_monitor_serves_on_the_line_that_it_came_by(roms):
    """Most of the program is in memory already, where the memory test does not reach. That saves ten million cycles."""
    parts = default_parts()
    elf = firmware.build("monitor", parts, ROOT / "build" / "test" / "boot" / parts.name)
    image = elf.with_suffix(".bin").read_bytes()
    with Simulation(elf, arguments=["--directory", roms]) as simulation:
        with (
            socket.create_connection(("127.0.0.1", simulation.port), timeout=PATIENCE) as link,
            link.makefile("rwb") as stream,
        ):
            stream.readline(), stream.readline()
            lines = [TESTED_BYTES << line for line in range(8) if TESTED_BYTES << line < len(image)]
            upload(stream, image[:TESTED_BYTES], [(offset, image[offset : offset + 4]) for offset in lines])
        monitor = Monitor(connect(f"socket://127.0.0.1:{simulation.port}"), timeout=PATIENCE / 10)
        assert monitor.hello().simulated
        assert monitor.checksum(BASE, 2 * TESTED_BYTES) == zlib.crc32(image[: 2 * TESTED_BYTES])
        monitor.transport.close()
