"""Programs without the firmware's runtime: the sources of tests/sim."""

import subprocess

from base.repository import ROOT

SOURCES = ROOT / "tests" / "sim"


def compile(build, elf, *sources):
    """Links sources of tests/sim into `elf`, for the simulated SoC of `build`."""
    finish = build.facts()["csr"]["sim_finish_code"]["addr"]
    subprocess.run(
        [
            "riscv64-unknown-elf-gcc",
            "-march=rv32ima_zicsr_zifencei",
            "-mabi=ilp32",
            "-O2",
            "-ffreestanding",
            "-nostdlib",
            f"-DSIM_FINISH={finish}",
            f"-I{build.soc}/include",
            f"-I{ROOT}/soc/include",
            "-T",
            SOURCES / "program.ld",
            "-Wl,--no-warn-rwx-segments",
            "-o",
            elf,
            *[SOURCES / source for source in sources],
        ],
        check=True,
    )
    return elf
