"""The boot ROM of a SoC: firmware/boot, compiled against the SoC's own headers."""
import subprocess
from pathlib import Path

from litex.soc import software
from litex.soc.integration.common import get_mem_data

ROOT = Path(__file__).resolve().parent.parent


def build(folder, include):
    """Compiles into `folder` against the headers in `include` (`soc.export.headers`); returns the ROM's words.

    Raises ValueError if the compiler or, for an image that is larger than the ROM, the linker refuses.
    """
    command = ["make", "--no-print-directory", "-s", "-C", str(ROOT / "firmware" / "boot"),
               f"OUT={folder}", f"INCLUDE={include}", f"SOC_INCLUDE={ROOT / 'soc' / 'include'}", f"LITEX={list(software.__path__)[0]}"]
    if subprocess.run(command).returncode:
        raise ValueError("the boot ROM does not compile, see above. What to do: make setup, if the compiler is missing")
    return get_mem_data(str(Path(folder) / "boot.bin"), data_width=32, endianness="little")
