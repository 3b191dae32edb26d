"""The small parts: arenas, handles, CRC-32, COBS, frames, the copy driver in software."""

import subprocess


def test_units(programs):
    result = subprocess.run([programs / "units"], capture_output=True, text=True)
    assert result.stdout == "ok\n", result.stdout + result.stderr
