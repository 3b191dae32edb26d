"""The boot ROM of boards: it fits, and is what their memory needs."""
import subprocess

import pytest
from litex.soc import software

from soc.soc import ROM_BYTES
from tests.boot import boards
from tests.boot.conftest import ROOT

TRAINED = "sdram_read_leveling"


def build(folder, litex=True):
    """Compiles against the headers in `folder`."""
    arguments = [f"OUT={folder / 'boot'}", f"INCLUDE={folder}", f"SOC_INCLUDE={ROOT / 'soc' / 'include'}"]
    if litex:
        arguments.append(f"LITEX={list(software.__path__)[0]}")
    return subprocess.run(["make", "--no-print-directory", "-s", "-C", ROOT / "firmware" / "boot", *arguments], capture_output=True, text=True)


def symbols(folder):
    listing = subprocess.run(["riscv64-unknown-elf-nm", folder / "boot" / "boot.elf"], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines()}


@pytest.mark.parametrize("make, trained, most", [(boards.ulx3s, False, 4096), (boards.ecpix5, True, ROM_BYTES)])
def test_it_fits(tmp_path, make, trained, most):
    folder = boards.headers(make(tmp_path), tmp_path / "include")
    result = build(folder)
    assert result.returncode == 0, result.stderr
    size = (folder / "boot" / "boot.bin").stat().st_size
    print(f"{make.__name__}: {size} bytes")
    assert size <= most
    assert (TRAINED in symbols(folder)) == trained and "serial_boot" in symbols(folder)


def test_one_that_does_not_fit_is_an_error(tmp_path):
    folder = boards.headers(boards.ulx3s(tmp_path, rom_bytes=2048), tmp_path / "include")
    result = build(folder)
    assert result.returncode and "will not fit in region `rom'" in result.stderr


def test_training_without_litex_says_what_is_missing(tmp_path):
    folder = boards.headers(boards.ecpix5(tmp_path), tmp_path / "include")
    result = build(folder, litex=False)
    assert result.returncode and "LITEX=<litex>/soc/software" in result.stderr
