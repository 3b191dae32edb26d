"""The boot ROM of a SoC: firmware/boot, compiled against the SoC's own headers."""

import subprocess
from pathlib import Path

from litex.soc import software
from litex.soc.integration.common import get_mem_data

from base.repository import ROOT

#: LiteX's software sources. Memory with training needs some of them.
LITEX = list(software.__path__)[0]


def command(folder, include, **variables):
    """Returns the command that compiles the ROM into `folder` against the headers in `include` (`soc.export.headers`).
    variables: further variables of its Makefile."""
    given = {"OUT": folder, "INCLUDE": include, "SOC_INCLUDE": ROOT / "soc" / "include", "LITEX": LITEX, **variables}
    make = ["make", "--no-print-directory", "-s", "-C", str(ROOT / "firmware" / "boot")]
    return [*make, *(f"{name}={value}" for name, value in given.items())]


def build(folder, include, **variables):
    """Compiles the ROM with `command`. Returns its words.

    Raises ValueError if the compiler fails, or if the linker fails because the image is larger than the ROM."""
    if subprocess.run(command(folder, include, **variables)).returncode:
        raise ValueError("the boot ROM does not compile, see above. What to do: make setup, if the compiler is missing")
    return get_mem_data(str(Path(folder) / "boot.bin"), data_width=32, endianness="little")
