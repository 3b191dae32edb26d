"""The boards' boot ROM fits, and does what their memory needs."""

import pytest

from soc import boot
from soc.soc import ROM_BYTES
from tests.boot import board_headers
from tests.common.run import run, symbols

TRAINED = "sdram_read_leveling"


def build(folder, **changes):
    """Compiles the ROM against the headers in `folder`."""
    return run(*boot.command(folder / "boot", folder, **changes))


@pytest.mark.parametrize(
    "board, trained, most",
    [(board_headers.SDR, False, 4096), (board_headers.DDR3, True, ROM_BYTES)],
    ids=lambda value: getattr(value, "name", None),
)
def test_it_fits(tmp_path, board, trained, most):
    folder = board_headers.write(board, tmp_path)
    result = build(folder)
    assert result.returncode == 0, result.stderr
    size = (folder / "boot" / "boot.bin").stat().st_size
    print(f"{board.name}: {size} bytes")
    assert size <= most
    found = symbols(folder / "boot" / "boot.elf")
    assert (TRAINED in found) == trained and "serial_boot" in found


def test_one_that_does_not_fit_is_an_error(tmp_path):
    folder = board_headers.write(board_headers.SDR, tmp_path, rom_bytes=2048)
    result = build(folder)
    assert result.returncode and "will not fit in region `rom'" in result.stderr


def test_training_without_litex_says_what_is_missing(tmp_path):
    folder = board_headers.write(board_headers.DDR3, tmp_path)
    result = build(folder, LITEX="")
    assert result.returncode and "LITEX=<litex>/soc/software" in result.stderr
