"""A board's boot ROM on the simulated SoC: its delays, its memory test, and a program that comes over the UART."""
import shutil
import socket
import subprocess

import pytest
from litex.soc.integration.common import get_mem_data
from litex.tools.litex_term import sfl_magic_ack, sfl_magic_req

from sim.run import Build, Simulation
from tests.boot.conftest import ROOT
from tests.boot.sfl import BASE, jump, load

LIMIT = 20_000_000
PATIENCE = 600  # the memory test alone is two million cycles, and the machine may be busy
CODE, EXIT_CODE = 0x4400_0000, 7
CHUNK = 251
PROGRAM = ROOT / "tests" / "sim"


@pytest.fixture(scope="module")
def build():
    return Build.of()


@pytest.fixture(scope="module")
def roms(build, tmp_path_factory):
    """The SoC's memory images, its ROM a board's."""
    folder = tmp_path_factory.mktemp("roms")
    subprocess.run(["make", "--no-print-directory", "-s", "-C", ROOT / "firmware" / "boot", f"OUT={folder / 'boot'}", f"INCLUDE={build.soc / 'include'}",
                    f"SOC_INCLUDE={ROOT / 'soc' / 'include'}", "AS_BOARD=1"], check=True)
    for image in build.soc.glob("*.init"):
        shutil.copy(image, folder)
    words = get_mem_data(str(folder / "boot" / "boot.bin"), data_width=32, endianness="little")
    (folder / "heapwire_soc_rom.init").write_text("".join(f"{word:x}\n" for word in words))
    return folder


@pytest.fixture(scope="module")
def echo(build, tmp_path_factory):
    """The program of tests/sim, without its ELF: it says hello, echoes a line, and ends with the code that is in memory."""
    folder = tmp_path_factory.mktemp("echo")
    finish = build.facts()["csr"]["sim_finish_code"]["addr"]
    subprocess.run(["riscv64-unknown-elf-gcc", "-march=rv32ima_zicsr_zifencei", "-mabi=ilp32", "-O2", "-ffreestanding", "-nostdlib",
                    f"-DSIM_FINISH={finish}", f"-I{build.soc}/include", f"-I{ROOT}/soc/include", "-T", PROGRAM / "program.ld",
                    "-Wl,--no-warn-rwx-segments", "-o", folder / "echo.elf", PROGRAM / "start.S", PROGRAM / "echo.c"], check=True)
    subprocess.run(["riscv64-unknown-elf-objcopy", "-O", "binary", folder / "echo.elf", folder / "echo.bin"], check=True)
    return (folder / "echo.bin").read_bytes()


def test_a_program_comes_over_the_uart(roms, echo):
    with Simulation(None, arguments=["--directory", roms, "--max-cycles", LIMIT]) as simulation:
        with socket.create_connection(("127.0.0.1", simulation.port), timeout=PATIENCE) as link:
            stream = link.makefile("rwb")

            def answer(frame):
                stream.write(frame)
                stream.flush()
                return stream.read(1)

            megabytes = Build.of().facts()["memory"]["bytes"] >> 20
            assert stream.readline() == b"boot: memory test passed, %d MB at 40000000\n" % megabytes
            assert stream.readline() == b"boot: waiting for a program (litex_term --kernel FILE PORT): " + sfl_magic_req
            stream.write(b"noise" + sfl_magic_ack)
            assert answer(load(BASE - 4, b"ROM?")) == b"E"
            for start in range(0, len(echo), CHUNK):
                assert answer(load(BASE + start, echo[start:start + CHUNK])) == b"K"
            assert answer(load(CODE, bytes([EXIT_CODE]))) == b"K"
            assert answer(jump(0x1000_0000)) == b"E"
            assert answer(jump(BASE)) == b"K"
            assert stream.readline() == b"boot: starting the program at 40000000\n"
            assert stream.readline() == b"hello\n"
            stream.write(b"over the same line\n")
            stream.flush()
            assert stream.readline() == b"over the same line\n"
        result = simulation.end(timeout=PATIENCE)
    print(f"{result.cycles} cycles")
    assert (result.reason, result.code) == ("finish", EXIT_CODE)
