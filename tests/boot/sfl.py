"""The host's side of SFL: frames from LiteX's own code, and a host-built boot ROM that receives them."""

import os
import select
import subprocess
import time

from litex.tools.litex_term import SFLFrame, sfl_cmd_abort, sfl_cmd_jump, sfl_cmd_load, sfl_magic_ack, sfl_magic_req

BASE, BYTES = 0x4000_0000, 0x10000
LOAD, JUMP, ABORT = sfl_cmd_load[0], sfl_cmd_jump[0], sfl_cmd_abort[0]
PATIENCE = 20


def frame(command, payload=b""):
    made = SFLFrame()
    made.cmd, made.payload = bytes([command]), bytes(payload)
    return made.encode()


def load(address, data=b""):
    return frame(LOAD, address.to_bytes(4, "big") + data)


def jump(address):
    return frame(JUMP, address.to_bytes(4, "big"))


class Rom:
    """The ROM's serial boot. Its clock runs `faster` than ours."""

    def __init__(self, programs, folder, faster=10):
        self.file, self.faster, self.unread = folder / "memory", faster, b""
        self.process = subprocess.Popen(
            [programs / "serial", hex(BASE), hex(BYTES), self.file],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, "FASTER": str(faster)},
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def send(self, data):
        self.process.stdin.write(data)

    def read(self, count):
        """Reads exactly `count` bytes."""
        while len(self.unread) < count:
            self._more()
        data, self.unread = self.unread[:count], self.unread[count:]
        return data

    def until(self, text):
        while text not in self.unread:
            self._more()
        end = self.unread.index(text) + len(text)
        return self.read(end)

    def _more(self):
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        data = os.read(self.process.stdout.fileno(), 4096) if ready else b""
        assert data, (
            f"the ROM says no more after {self.unread}: "
            f"{self.process.stderr.read() if self.process.poll() is not None else ''}"
        )
        self.unread += data

    def silent(self, milliseconds):
        """Returns whether nothing comes for this time, by the ROM's clock."""
        time.sleep(milliseconds / 1000 / self.faster)
        return not self.unread and not select.select([self.process.stdout], [], [], 0)[0]

    def begin(self):
        """Waits for the request and acknowledges it."""
        said = self.until(sfl_magic_req)
        self.send(sfl_magic_ack)
        return said

    def answer(self, data):
        self.send(data)
        return self.read(1)

    def started(self):
        """Returns the entry and the memory, after the jump."""
        _, errors = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, errors
        return int(errors, 16), self.file.read_bytes()
