"""GDB as a program to talk to: sends a command and returns its output."""

import os
import re
import select
import signal
import subprocess
import time

END = "--end of answer--"


class Gdb:
    """A GDB process. `command` is its command line. It is a context manager."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        self.greeting = self("")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.process.communicate(b"kill\nquit\n", timeout=20)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()

    def start(self, command):
        """Sends a command and does not wait for it."""
        self.process.stdin.write(f"{command}\necho {END}\\n\n".encode())
        self.process.stdin.flush()

    def answer(self, timeout=60):
        text, deadline = "", time.monotonic() + timeout
        while END not in text:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError(f"GDB has not answered; it said:\n{text}")
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise EOFError(f"GDB has ended; it said:\n{text}")
            text += data.decode(errors="replace")
        return text[: text.index(END)].replace("(gdb) ", "")

    def __call__(self, command, timeout=60):
        self.start(command)
        return self.answer(timeout)

    def interrupt(self):
        """Interrupts GDB like Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def value(self, expression):
        """Returns the value of an expression as an unsigned number."""
        text = self(f"print/x {expression}")
        match = re.search(r"= (0x[0-9a-f]+)", text)
        assert match, text
        return int(match[1], 16)
