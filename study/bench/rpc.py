"""The suite `rpc`: echoes over Ethernet, on machines with a MAC that are like a board (`make bench SUITE=rpc`): ours,
and one with LiteX's own CPU. The harness sends the packets that Pigweed's client makes. Cycles are counted at the PHY:
from a request's last byte to its response's last byte, and between the last bytes of responses while eight requests are
outstanding."""

import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from threading import Lock
from typing import Callable, Sequence

from base.errors import HeapwireError
from base.repository import ROOT, cache
from heapwire.interface import LIKE
from heapwire.measure.rows import Row, complete
from heapwire.program import run as program_run
from heapwire.program.program import read
from heapwire.revision import revision
from heapwire.simulation import Parts, parts
from sim import ethernet
from sim.ethernet import End, Frame
from sim.run import run
from study.bench.images import at_a_time
from study.bench.rows import merge_layouts

SUITE = "rpc"
PROGRAMS = ROOT / "firmware" / "programs" / "rpc"
SOURCES = (ROOT / "study" / "firmware" / "programs" / SUITE / "echo.c", PROGRAMS / "structs.c")
PROTOS = (PROGRAMS / "demo.proto", PROGRAMS / "structs.proto")
HOST = End(bytes([2, 0, 0, 0, 0, 9]), "192.168.7.1", 40000)
BOARD_END = End(bytes([2, 0, 0, 0, 0, 1]), "192.168.7.2", 7000)
WARM, CALLS = 4, 16
"""Calls before those that count, and all."""
ONE = "one at a time"
OPERATIONS = {ONE: 1, "eight outstanding": 8}
BOARD = "ecpix5"
SHIFTS = (0, 36, 72, 524, 1048)
"""Bytes by which a program's code is shifted: layout alone moves what software takes. The fewest cycles count."""


@dataclass(frozen=True)
class Engine:
    """What serves the calls. number: the program's input (study/firmware/programs/rpc/echo.c)."""

    name: str
    model: str
    service: str
    number: int
    stock: bool = False


ENGINES = (
    Engine("hw", "managed", "Objects", 0),
    Engine("table", "managed", "Objects", 1),
    Engine("hw_nanopb", "structs", "Structs", 2),
    Engine("nanopb", "structs", "Structs", 3),
    Engine("nanopb-stock", "structs", "Structs", 3, stock=True),
)
"""The last one runs on LiteX's own CPU."""
BUILDING = Lock()
"""Programs of a machine are built in one folder."""


def board() -> str:
    """Returns the board that the machines are like: LIKE of the environment, or the usual one."""
    return os.environ.get("LIKE", "").partition("+")[0] or BOARD


def machines() -> list[str]:
    """Returns the machines, as LIKE names them: ours, and LiteX's own."""
    return [board(), f"{board()}+stock"]


def suffix() -> str:
    """Returns what the names of files say of the machines: nothing for the usual ones."""
    return "" if board() == BOARD else f"@{LIKE}{board()}"


def packets(service: str) -> list[tuple[bytes, list[bytes]]]:
    """Returns a message and the packets of its calls, for each size."""
    python, folder = cache() / "pigweed" / "bin" / "python", ROOT / "build" / "demo-rpc"
    if not python.is_file():
        raise HeapwireError("Pigweed's RPC client is not here. What to do: make setup-pigweed")
    folder.mkdir(parents=True, exist_ok=True)
    names = [proto.name for proto in PROTOS]
    compiler = [python, "-m", "grpc_tools.protoc", f"-I{PROGRAMS}", f"--python_out={folder}", *names]
    subprocess.run(compiler, check=True)
    command = [python, ROOT / "host" / "pigweed" / "packets.py", folder, service, str(CALLS)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [(bytes.fromhex(each), list(map(bytes.fromhex, made))) for each, made in map(json.loads, lines)]


def cycles_of(frames: Sequence[Frame], outstanding: int) -> int:
    """Returns the cycles of a call: the median with one outstanding, else the mean."""
    requests, responses = ([each for each in frames if each.from_machine == came][WARM:] for came in (False, True))
    if outstanding == 1:
        return int(median(response.last - request.last for request, response in zip(requests, responses, strict=True)))
    return round((responses[-1].last - responses[0].last) / (len(responses) - 1))


def exchanged(image: Path, here: Parts, packets: list[bytes], outstanding: int) -> list[Frame]:
    """Returns the frames of the calls, in both directions."""
    with tempfile.TemporaryDirectory() as folder:
        script, log = Path(folder) / "frames", Path(folder) / "log"
        # The machine's first frame tells its address.
        frames = [(1 + max(0, index - outstanding + 1), packet) for index, packet in enumerate(packets)]
        lines = [(after, ethernet.datagram(packet, HOST, BOARD_END)) for after, packet in frames]
        ethernet.write(script, [*lines, (1 + len(packets), b"")])
        options = ["--eth-frames", script, "--eth-log", log]
        result = run(image, max_cycles=1_000_000_000, arguments=options, **here.choice)
        if result.reason != "frames":
            raise HeapwireError(f"{image.name} ended with {result.reason}, code {result.code}")
        return ethernet.read(log)[1:]


def image_of(engine: Engine, here: Parts, shift: int) -> Path:
    """Builds the program that serves the calls, with its code shifted."""
    out = ROOT / "build" / "bench" / "images" / here.name / SUITE
    out.mkdir(parents=True, exist_ok=True)
    data = out / "engine"
    data.write_bytes(bytes([engine.number]))
    program = read(list(SOURCES), list(PROTOS), data)
    # nanopb in its fastest form
    built = program_run.build(program, lambda _: None, print, here, NANOPB_CALLBACKS="", shift=str(shift))
    return built.rename(out / f"{engine.name}-{shift}.elf")


def measured(engine: Engine, here: Parts, image: Path, calls: list[tuple[bytes, list[bytes]]]) -> list[Row]:
    """Returns the rows of an image."""
    rows: list[Row] = []
    for message, requests in calls:
        for operation, outstanding in OPERATIONS.items():
            frames = exchanged(image, here, requests, outstanding)
            answers = [ethernet.content(frame, BOARD_END, HOST) for frame in frames if frame.from_machine]
            row = {"suite": SUITE, "case": f"echo/{len(message)}", "op": operation, "engine": engine.name}
            row |= {"model": engine.model, "cycles": cycles_of(frames, outstanding), "wire_bytes": len(message)}
            row["ok"] = len(answers) == len(requests) and all(message in answer for answer in answers)
            rows.append(row)
    return rows


def measure(say: Callable[[str], None], one_layout: bool = False) -> list[Row]:
    """Measures all engines, each with warm caches, several images at a time, the slowest engines first."""
    calls = {service: packets(service) for service in {engine.service for engine in ENGINES}}
    ours, stock = (parts(ethernet=True, like=name) for name in machines())
    at, shifts = revision(), SHIFTS[: 1 if one_layout else None]

    def of_job(job: tuple[Engine, int]) -> list[Row]:
        engine, shift = job
        here = stock if engine.stock else ours
        with BUILDING:
            image = image_of(engine, here, shift)
        rows = measured(engine, here, image, calls[engine.service])
        for row in rows:
            say(f"{SUITE}: {row['case']} {row['op']} {row['engine']}, shifted by {shift}: {row['cycles']:,} cycles")
        more = {"layout": shift, "revision": at}
        return [complete(row, here.label, here.data_width // 8) | more for row in rows]

    with ThreadPoolExecutor(at_a_time()) as pool:
        found = list(pool.map(of_job, [(engine, shift) for engine in reversed(ENGINES) for shift in shifts]))
    merged = merge_layouts([row for rows in found for row in rows])
    return sorted(merged, key=lambda row: [engine.name for engine in ENGINES].index(str(row["engine"])))
