"""Builds images, runs them on the simulated SoC and collects their rows."""

import os
import subprocess
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator

from base.errors import HeapwireError
from base.waiting import waiting
from heapwire.measure.rows import Row
from heapwire.revision import revision
from heapwire.simulation import Parts
from sim import run as sim
from study.bench.identity import identity
from study.bench.kept import Kept
from study.bench.rows import parse_line

MAX_CYCLES = 20_000_000_000


@dataclass(frozen=True)
class Job:
    """An image to build and run. loads: contents in memory from the start, by address. length: relative duration,
    without a unit. machine: the machine of this job, if jobs of several machines run together; rows then name the
    configuration."""

    name: str
    image: Callable[[], Path]
    loads: Callable[[], list[tuple[int, bytes]]]
    length: int = 0
    machine: Parts | None = None


class ImageFailed(HeapwireError):
    """An image ended with a code other than 0."""


def lines_of(image: Path, parts: Parts, loads: list[tuple[int, bytes]]) -> Iterator[str]:
    """Runs an image to its end and yields its lines as they come.

    Raises ImageFailed after the last line unless the image ends with code 0."""
    with tempfile.TemporaryDirectory() as scratch:
        files = []
        for i, (address, content) in enumerate(loads):
            file = Path(scratch) / f"load{i}"
            file.write_bytes(content)
            files.append((address, file))
        command = sim.Build.of(**parts.choice).command(
            image, files, ["--quiet", "--with-parent", "--max-cycles", MAX_CYCLES]
        )
        log = Path(scratch) / "errors"
        with log.open("wb") as errors:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                yield line.decode(errors="replace").rstrip()
            code = process.wait()
        finally:
            process.kill()
            process.wait()
        if code:
            raise ImageFailed(f"{image.name} ended with code {code}; {log.read_text(errors='replace')[-500:].strip()}")


def _printed(
    job: Job, image: Path, parts: Parts, loads: list[tuple[int, bytes]], say: Callable[[str], None]
) -> list[Row]:
    """Returns the rows that an image prints.

    Raises ImageFailed if the image ends with another code than 0 although no row is wrong. Wrong rows are reported
    instead."""
    rows = []
    try:
        for line in lines_of(image, parts, loads):
            row = parse_line(line)
            if row is None:
                say(f"{job.name}: {line}" if line else "")
                continue
            rows.append(row)
            say(
                f"{job.name}: layout {row.get('layout', 0)} {row['case']} {row['op']} {row['engine']}: "
                f"{row['cycles']:,} cycles"
                f"{'' if row.get('ok') is True else '  NOT OK'}"
            )
    except ImageFailed as error:
        if all(row.get("ok") is True for row in rows):
            raise
        say(f"{job.name}: {error}")
    return rows


def _rows_of(job: Job, parts: Parts | None, say: Callable[[str], None], kept: Kept | None) -> list[Row]:
    """Builds the image of a job, runs it and collects its rows. Takes kept rows instead if image, workload and
    simulator are the same."""
    machine = job.machine or parts
    say(f"{job.name}: building the firmware")
    image, loads = job.image(), job.loads()
    mark = identity(image, machine, loads) if kept else ""
    rows = kept.find(job.name, mark) if kept else None
    if rows is None:
        rows = [row | {"revision": revision()} for row in _printed(job, image, machine, loads, say)]
        if kept and all(row.get("ok") is True for row in rows):
            kept.keep(job.name, mark, rows)
    else:
        say(f"{job.name}: {len(rows)} rows were measured before")
    return [row | {"config": job.machine.config} for row in rows] if job.machine else rows


def at_a_time() -> int:
    """Returns the number of images that run at a time: HEAPWIRE_JOBS, or else the number of cores available to this
    process."""
    return int(os.environ.get("HEAPWIRE_JOBS") or len(os.sched_getaffinity(0)))


def rows_of(jobs: list[Job], parts: Parts | None, say: Callable[[str], None], kept: Kept | None = None) -> list[Row]:
    """Returns the rows of the jobs, in the order of the jobs. Runs as many at a time as there are cores, the longest
    first. parts: the machine of jobs that name none."""
    found: dict[Future, int] = {}

    def left(minutes: float) -> str:
        return f"{minutes:.1f} min: {', '.join(jobs[i].name for future, i in found.items() if not future.done())}"

    with ThreadPoolExecutor(at_a_time()) as pool, waiting(say, left) as tell:
        found |= {
            pool.submit(_rows_of, jobs[i], parts, tell, kept): i
            for i in sorted(range(len(jobs)), key=lambda i: -jobs[i].length)
        }
        rows: dict[int, list[Row]] = {}
        try:
            for future in as_completed(found):
                rows[found[future]] = future.result()
        except BaseException:
            tell("stopping: images that run are let to their end")
            pool.shutdown(cancel_futures=True)
            raise
        return [row for i in range(len(jobs)) for row in rows[i]]
