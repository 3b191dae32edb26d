"""Programs on pseudo-terminals leave no process behind."""

import os
import time

from tests.litex.terminal import Terminal


def test_what_a_program_has_started_ends_with_it(tmp_path):
    terminal = Terminal(["sh", "-c", "sleep 1000 & echo $!.; wait"], tmp_path, os.environ)
    child = int(terminal.until(b".", 10).partition(".")[0])
    assert os.path.exists(f"/proc/{child}")
    terminal.close()
    end = time.monotonic() + 10
    while os.path.exists(f"/proc/{child}") and open(f"/proc/{child}/stat").read().split()[2] != "Z":
        assert time.monotonic() < end
        time.sleep(0.05)
