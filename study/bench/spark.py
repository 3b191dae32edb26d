"""Runs the papers' programs by Spark on this machine's JVM, and writes what was measured as rows (`python -m
study.bench.spark`, study/docs/spark.md).

Times are nanoseconds of this machine's processor, so rows of two machines are not alike; no other suite has such
rows."""

import argparse
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Iterable, Sequence

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire.measure.rows import Row, complete
from study.bench.objects.captured import FOLDER, PROGRAMS

SUITE, OPERATION, MODEL = "spark", "program", "jvm"
SERIALIZERS = ("java", "kryo")
PARTS = ("computation", "serialize", "write", "deserialize", "read")
APART = 0.05
"""By how much a program's computation may differ between serializers: where it does by more, something else than the
serializers was measured, too."""
SCALE = 10
"""How many times as large as those of the captured records the measured inputs are: with small ones, a task is over in
some milliseconds, and a good part of them begins and ends it."""
SECONDS = 60
"""Time of the processor for which each program is run again and again, by each serializer."""
OUT = ROOT / "build" / "spark"
TARGET = ROOT / "build" / "bench" / "spark.jsonl"
RECORDS = 300
"""Records of a program that are kept at most; of large ones fewer are (Inspector.java)."""
OPENED = """java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent
    java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar""".split()
"""Packages of JDK 17 that Spark reaches into."""
COUNTED = ("records", "objects", "references")
"""What is counted of all that a program serializes, in a run that is not timed."""
MEASURED = (
    *("runs", "samples", "tasks", "run_ns", *(f"{part}_ns" for part in PARTS), "collection_ns", "wall_ns"),
    *("roots_written", "roots_read", "bytes_written", "bytes_read", "inputs", "input", "spark", "jvm", "heap_bytes"),
)


def command(jars: Path, out: Path, extra: Sequence[str] = (), scale: int = SCALE) -> list[str]:
    """Returns the command that runs the programs: one thread, a heap of 2 GB, a collector of one thread. The program
    waits for the compiler, so that its code is warm even on a busy machine."""
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    classes = ROOT / "study" / "java" / "spark" / "classes.txt"
    given = [f"-Dheapwire.classes={classes}", f"-Dheapwire.scale={scale}"]
    virtual = ["java", "-Xmx2g", "-XX:+UseSerialGC", "-Xbatch", *opens, *given]
    program = ["-cp", f"{OUT / 'classes'}:{jars}/*", "heapwire.spark.Main"]
    return [*virtual, *program, "--output", str(out), *extra]


def processor() -> str:
    """Returns the processor's name from /proc."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def rows(runs: Sequence[dict], cpu: str = "") -> list[Row]:
    """Returns a row for each program and serializer."""
    counted = {run["program"]: run for run in runs if run["kind"] == "inspected"}
    found = []
    for run in runs:
        if run["kind"] != "measured":
            continue
        program = run["program"]
        names = {"suite": SUITE, "case": program, "op": OPERATION, "engine": run["serializer"], "model": MODEL}
        row = {
            "wire_bytes": run["bytes_written"],
            "ok": run["ok"] and counted.get(program, run)["ok"],
            "share": round((run["serialize_ns"] + run["deserialize_ns"]) / run["run_ns"], 6),
            **{name: run[name] for name in MEASURED},
            **{name: counted[program][name] for name in COUNTED if program in counted},
            "cpu": cpu,
        }
        found.append(complete(names | row, MODEL, 0))
    return found


def apart(found: Iterable[Row]) -> float:
    """Returns by how much the computation of these rows, all of one program, differs. Raises HeapwireError for rows
    that do not tell it."""
    try:
        times = [int(row["computation_ns"]) for row in found]
    except KeyError as error:
        raise HeapwireError("the rows of Spark are of an older meter. What to do: make spark") from error
    return max(times) / min(times) - 1


def uneven(found: Iterable[Row]) -> dict[str, float]:
    """Returns the programs whose computation differs by too much between serializers, and by how much it does."""
    found = list(found)
    programs = dict.fromkeys(str(row["case"]) for row in found)
    differs = {program: apart(row for row in found if row["case"] == program) for program in programs}
    return {program: much for program, much in differs.items() if much > APART}


def refusals(found: Sequence[Row]) -> list[str]:
    """Returns, as text, which programs the report does not show, and why."""
    why = f"between serializers, more than {100 * APART:.0f} %, so the report does not show it"
    return [f"computation of {name} differs by {100 * much:.1f} % {why}" for name, much in uneven(found).items()]


def problems(found: Sequence[Row]) -> list[str]:
    """Returns, as text, what is wrong with rows, and the programs without a row."""
    there = {(row["case"], row["engine"]) for row in found}
    wrong = [f"wrong: {row['case']} ({row['engine']})" for row in found if row["ok"] is not True]
    missing = [wanted for wanted in product(PROGRAMS, SERIALIZERS) if wanted not in there]
    return wrong + [f"not measured: {program} ({serializer})" for program, serializer in missing]


def captured(out: Path, program: str) -> Path:
    """Returns the file of a program's captured records."""
    return out / program / "captured" / "records" / f"{program}.json"


def keep(out: Path, folder: Path = FOLDER) -> None:
    """Copies the captured records to the folder from which the benches take them."""
    for program in PROGRAMS:
        (folder / f"{program}.json").write_text(captured(out, program).read_text())


def read(out: Path) -> list[dict]:
    """Returns the runs of all existing files."""
    files = [out / program / "runs.jsonl" for program in PROGRAMS]
    return [json.loads(line) for file in files if file.is_file() for line in file.read_text().splitlines()]


def run(jars: Path, out: Path, program: str, seconds: float, scale: int) -> None:
    """Runs a program in a JVM of its own, and then once more to count and to keep what it serializes."""
    out.mkdir(parents=True, exist_ok=True)
    log = out / "log"
    words = ["--program", program, "--seconds", str(seconds), "--records", str(RECORDS)]
    with log.open("w") as file:
        done = subprocess.run(command(jars, out, words, scale), stdout=file, stderr=subprocess.STDOUT)
    if done.returncode:
        tail = "\n".join(log.read_text().splitlines()[-15:])
        raise HeapwireError(f"Spark failed in {program} (log in {log}):\n{tail}")


def measure(
    jars: Path, out: Path, programs: Sequence[str] = PROGRAMS, seconds: float = SECONDS, scale: int = SCALE
) -> list[dict]:
    """Measures programs, and captures records of them with small inputs."""
    for program in programs:
        run(jars, out / program, program, seconds, scale)
        run(jars, out / program / "captured", program, 0, 1)
    return read(out)


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the papers' programs by Spark.")
    parser.add_argument("--jars", type=Path, required=True, help="the folder of Spark's jars")
    parser.add_argument("--keep", action="store_true", help="make the captured records those of the benches")
    parser.add_argument("--rows-only", action="store_true", help="run nothing: rows of the runs that are there")
    parser.add_argument("--parse-only", action="store_true", help="only look at these arguments")
    chosen = parser.parse_args()
    if chosen.parse_only:
        return 0
    try:
        runs = read(OUT) if chosen.rows_only else measure(chosen.jars.resolve(), OUT)
    except HeapwireError as error:
        print(f"spark: {error}", file=sys.stderr)
        return 1
    found = rows(runs, processor())
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text("".join(json.dumps(row) + "\n" for row in found))
    for row in found:
        print(
            f"{row['case']} by {row['engine']}: {int(row['run_ns']) / 1e6:,.0f} ms, S/D "
            f"{100 * float(row['share']):.1f} %"
        )
    print(f"written: {TARGET}; make report-page shows them")
    if chosen.keep:
        keep(OUT)
    wrong = problems(found)
    for each in wrong + refusals(found):
        print(f"spark: {each}", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
