"""Programs without the firmware's runtime: the sources of tests/sim."""

from base.repository import ROOT
from tests.common.run import RISCV, checked

SOURCES = ROOT / "tests" / "sim"
FLAGS = "-march=rv32ima_zicsr_zifencei -mabi=ilp32 -O2 -ffreestanding".split()


def compile(build, elf, *sources):
    """Links sources of tests/sim into `elf`, for the simulated SoC of `build`."""
    facts = f"-DSIM_FINISH={build.facts()['csr']['sim_finish_code']['addr']}", f"-I{build.soc}/include"
    link = "-nostdlib", "-T", SOURCES / "program.ld", "-Wl,--no-warn-rwx-segments", "-o", elf
    sources = [SOURCES / source for source in sources]
    checked(f"{RISCV}gcc", *FLAGS, *facts, f"-I{ROOT}/soc/include", *link, *sources)
    return elf
