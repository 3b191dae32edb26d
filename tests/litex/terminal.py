"""Programs on pseudo-terminals."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import time
import tty


class Terminal:
    """A program whose input and output is one end of a pseudo-terminal. The other end has a name, like a serial port,
    and is read and written here."""

    def __init__(self, command, cwd, environment):
        self.far, self.near = pty.openpty()
        tty.setraw(self.near)
        self.name = os.ttyname(self.near)
        streams = {"stdin": self.far, "stdout": self.far, "stderr": subprocess.STDOUT}
        self.process = subprocess.Popen(command, cwd=cwd, env=environment, start_new_session=True, **streams)

    def until(self, text, seconds):
        """Reads until `text` comes. Returns what came since the last call. Fails after `seconds`."""
        said, end = b"", time.monotonic() + seconds
        while text not in said:
            ready, _, _ = select.select([self.near], [], [], 1)
            if ready:
                said += os.read(self.near, 65536)
            self.process.poll()
            assert ready or self.process.returncode is None, f"ended with {self.process.returncode}:\n{self._end(said)}"
            assert time.monotonic() < end, f"no {text!r} in {seconds} s:\n{self._end(said)}"
        return said.decode(errors="replace")

    def send(self, text):
        os.write(self.near, text)

    def close(self):
        """Ends the program and all processes that it has started. litex_sim does not end its simulator."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.far)
        os.close(self.near)

    @staticmethod
    def _end(said):
        return said[-3000:].decode(errors="replace")
