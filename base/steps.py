"""Steps of the flow: runs of a tool that are skipped while their inputs are unchanged, and that report progress."""

from __future__ import annotations

import hashlib
import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

from base.errors import HeapwireError
from base.repository import ROOT, environment
from base.waiting import INTERVAL, Say, waiting

POLL = 0.5


@dataclass(frozen=True)
class Step:
    """A run of a tool in `folder`. Paths are relative to it.

    The step runs again when the command, the tool's pin (`pin`), the content of an input, or that of an output has
    changed. Dates do not matter. `watched` is the file in which the tool logs its progress, unless it does so in its
    own output, which is kept in `log`."""

    name: str
    command: tuple[str, ...]
    folder: Path
    inputs: tuple[Path, ...]
    outputs: tuple[Path, ...]
    log: Path
    pin: str = ""
    watched: Path | None = None

    @property
    def stamp(self) -> Path:
        return self.folder / f"{self.log.with_suffix('')}.done.json"

    def digest(self) -> str:
        content = hashlib.sha256(json.dumps([self.command, self.pin]).encode())
        for path in sorted(self.inputs):
            content.update(f"\0{path}\0".encode())
            content.update((self.folder / path).read_bytes())
        return content.hexdigest()

    def results(self) -> dict[str, str]:
        """Returns a digest of each output that exists, by output."""
        return {
            str(path): hashlib.sha256((self.folder / path).read_bytes()).hexdigest()
            for path in self.outputs
            if (self.folder / path).is_file()
        }

    def done(self) -> bool:
        try:
            stamp = json.loads(self.stamp.read_text())
        except (OSError, ValueError):
            return False
        results = self.results()
        return len(results) == len(self.outputs) and stamp == {"inputs": self.digest(), "outputs": results}


def made(stamp: Path, file: Path) -> bool:
    """Returns whether a file is the output of the step with that stamp beside it, and the step has finished."""
    try:
        return json.loads(stamp.read_text())["outputs"][file.name] == hashlib.sha256(file.read_bytes()).hexdigest()
    except (OSError, ValueError, KeyError, TypeError):
        return False


def spoken(path: Path) -> str:
    """Returns the last line with words in a tool's output."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4096))
        lines = file.read().decode(errors="replace").splitlines()
    return next((line.strip() for line in reversed(lines) if any(letter.isalpha() for letter in line)), "")


def run(step: Step, say: Say, look: Callable[[str], None] | None = None) -> bool:
    """Runs a step unless it is done. Returns whether it ran. `look` gets the log now and then, and may raise to end the
    tool."""
    if step.done():
        say(f"{step.name}: done before, inputs unchanged")
        return False
    step.stamp.unlink(missing_ok=True)
    log = step.folder / step.log
    log.parent.mkdir(parents=True, exist_ok=True)
    digest = step.digest()
    say(f"{step.name}: begins, log {_shown(log)}")
    began = time.monotonic()
    watched = step.folder / step.watched if step.watched else log
    with log.open("wb") as output:
        try:
            process = subprocess.Popen(
                step.command,
                cwd=step.folder,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            raise HeapwireError(
                f"{step.command[0]} cannot be started: {error.strerror}. What to do: make setup-synth"
            ) from error
        try:
            with waiting(say, lambda minutes: f"{step.name}: {minutes:.1f} min: {spoken(watched)[:100]}", INTERVAL):
                while process.poll() is None:
                    time.sleep(POLL)
                    if look:
                        look(log.read_text(errors="replace"))
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    text = log.read_text(errors="replace")
    if look:
        look(text)
    missing = [str(path) for path in step.outputs if not (step.folder / path).is_file()]
    if process.returncode or missing:
        raise HeapwireError(_failure(step, process.returncode, missing, text, log))
    step.stamp.write_text(json.dumps({"inputs": digest, "outputs": step.results()}, indent=1) + "\n")
    say(f"{step.name}: done in {(time.monotonic() - began) / 60:.1f} min")
    return True


def _failure(step: Step, code: int, missing: Sequence[str], text: str, log: Path) -> str:
    lines = text.splitlines()
    errors = [line for line in lines if "ERROR" in line or "Error" in line] or lines[-10:]
    what = f"ended with {code}" if code else f"wrote no {', '.join(missing)}"
    return "\n".join(
        [f"{step.name}: {Path(step.command[0]).name} {what}:", *errors[-10:], f"What to do: see {_shown(log)}"]
    )


def _shown(path: Path) -> Path:
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
