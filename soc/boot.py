"""The boot ROM of a SoC: firmware/boot, compiled against the SoC's own headers."""
import subprocess
from pathlib import Path

from litex.soc import software
from litex.soc.integration.common import get_mem_data

ROOT = Path(__file__).resolve().parent.parent
#: LiteX's software sources, of which memory that is trained takes some.
LITEX = list(software.__path__)[0]


def command(folder, include, **variables):
    """What compiles it into `folder` against the headers in `include` (`soc.export.headers`); `variables` of its Makefile."""
    given = {"OUT": folder, "INCLUDE": include, "SOC_INCLUDE": ROOT / "soc" / "include", "LITEX": LITEX, **variables}
    return ["make", "--no-print-directory", "-s", "-C", str(ROOT / "firmware" / "boot"), *(f"{name}={value}" for name, value in given.items())]


def build(folder, include, **variables):
    """Compiles it, by `command`; returns the ROM's words.

    Raises ValueError if the compiler or, for an image that is larger than the ROM, the linker refuses.
    """
    if subprocess.run(command(folder, include, **variables)).returncode:
        raise ValueError("the boot ROM does not compile, see above. What to do: make setup, if the compiler is missing")
    return get_mem_data(str(Path(folder) / "boot.bin"), data_width=32, endianness="little")
