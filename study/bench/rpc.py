"""The suite `rpc`: echoes over Ethernet, on the machine with a MAC (`make bench SUITE=rpc`). The harness sends the
packets that Pigweed's client makes. Cycles are counted at the PHY: from a request's last byte to its response's last
byte, and between the last bytes of responses while eight requests are outstanding."""

import json
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import Callable, Sequence

from base.errors import HeapwireError
from base.repository import ROOT, cache
from heapwire.measure.rows import Row, complete
from heapwire.program import run as program_run
from heapwire.program.program import read
from heapwire.simulation import Parts
from sim import ethernet
from sim.ethernet import End, Frame
from sim.run import run

SUITE = "rpc"
PROGRAMS = ROOT / "firmware" / "programs" / "rpc"
SOURCES = (ROOT / "study" / "firmware" / "programs" / SUITE / "echo.c", PROGRAMS / "structs.c")
PROTOS = (PROGRAMS / "demo.proto", PROGRAMS / "structs.proto")
HOST = End(bytes([2, 0, 0, 0, 0, 9]), "192.168.7.1", 40000)
BOARD = End(bytes([2, 0, 0, 0, 0, 1]), "192.168.7.2", 7000)
WARM, CALLS = 8, 40
"""Calls before those that count, and all."""
OPERATIONS = {"one at a time": 1, "eight outstanding": 8}
ENGINES = (("hw", "managed", "Objects"), ("table", "managed", "Objects"), ("hw_nanopb", "structs", "Structs"))
ENGINES += (("nanopb", "structs", "Structs"),)
"""Engine, model and service of the program's inputs 0, 1 and so on (study/firmware/programs/rpc/echo.c)."""


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


def exchanged(image: Path, parts: Parts, packets: list[bytes], outstanding: int) -> list[Frame]:
    """Returns the frames of the calls, in both directions."""
    with tempfile.TemporaryDirectory() as folder:
        script, log = Path(folder) / "frames", Path(folder) / "log"
        # The machine's first frame tells its address.
        frames = [(1 + max(0, index - outstanding + 1), packet) for index, packet in enumerate(packets)]
        lines = [(after, ethernet.datagram(packet, HOST, BOARD)) for after, packet in frames]
        ethernet.write(script, [*lines, (1 + len(packets), b"")])
        options = ["--eth-frames", script, "--eth-log", log]
        result = run(image, max_cycles=1_000_000_000, arguments=options, **parts.choice)
        if result.reason != "frames":
            raise HeapwireError(f"{image.name} ended with {result.reason}, code {result.code}")
        return ethernet.read(log)[1:]


def measure(parts: Parts, say: Callable[[str], None]) -> list[Row]:
    """Measures all engines that the machine has. LiteX's own CPU has nanopb alone."""
    rows, out = [], ROOT / "build" / "bench" / "images" / parts.name / SUITE
    out.mkdir(parents=True, exist_ok=True)
    stock = parts.like and parts.name.endswith("-stock-eth")
    for number, (engine, model, service) in enumerate(ENGINES):
        if stock and engine != "nanopb":
            continue
        data = out / "engine"
        data.write_bytes(bytes([number]))
        program = read(list(SOURCES), list(PROTOS), data)
        image = program_run.build(program, say, say, parts, NANOPB_CALLBACKS="")  # nanopb at its fastest
        for message, requests in packets(service):
            for operation, outstanding in OPERATIONS.items():
                frames = exchanged(image, parts, requests, outstanding)
                answers = [ethernet.content(frame, BOARD, HOST) for frame in frames if frame.from_machine]
                ok = len(answers) == len(requests) and all(message in answer for answer in answers)
                row = {
                    "suite": SUITE,
                    "case": f"echo/{len(message)}",
                    "op": operation,
                    "engine": engine,
                    "model": model,
                }
                row |= {"cycles": cycles_of(frames, outstanding), "wire_bytes": len(message), "ok": ok}
                say(f"{SUITE}: {row['case']} {operation} {engine} ({model}): {row['cycles']:,} cycles")
                rows.append(complete(row, parts.label, parts.data_width // 8))
    return rows
