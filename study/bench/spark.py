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
from typing import Sequence

from base.errors import HeapwireError
from base.repository import ROOT
from heapwire.measure.rows import Row, complete
from study.bench.objects.captured import FOLDER, PROGRAMS

SUITE, OPERATION, MODEL = "spark", "program", "jvm"
SERIALIZERS = ("java", "kryo")
PARTS = ("serialize", "write", "deserialize", "read")
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
    *("tasks", "run_ns", *(f"{part}_ns" for part in PARTS), "collection_ns", "wall_ns"),
    *("intervals", "stopped", "empty_interval_ns", "roots_written", "roots_read", "bytes_written", "bytes_read"),
    *("inputs", "input", "spark", "jvm", "heap_bytes"),
)


def command(jars: Path, serializer: str, out: Path, extra: Sequence[str] = ()) -> list[str]:
    """Returns the command that runs the programs with one serializer: one thread, a heap of 2 GB, a collector of one
    thread. The program waits for the compiler, so that its code is warm even on a busy machine."""
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    classes = ROOT / "study" / "java" / "spark" / "classes.txt"
    virtual = ["java", "-Xmx2g", "-XX:+UseSerialGC", "-Xbatch", *opens, f"-Dheapwire.classes={classes}"]
    program = ["-cp", f"{OUT / 'classes'}:{jars}/*", "heapwire.spark.Main"]
    return [*virtual, *program, "--serializer", serializer, "--output", str(out), *extra]


def processor() -> str:
    """Returns the processor's name from /proc."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def rows(runs: Sequence[dict], cpu: str = "") -> list[Row]:
    """Returns a row for each program and serializer: that of the run with the least processor time. A row is right if
    all runs had the right result."""
    counted = {run["program"]: run for run in runs if run["kind"] == "inspected"}
    found = []
    for program in dict.fromkeys(run["program"] for run in runs):
        for serializer in SERIALIZERS:
            wanted = (program, serializer, "measured")
            same = [run for run in runs if (run["program"], run["serializer"], run["kind"]) == wanted]
            if not same:
                continue
            best = min(same, key=lambda run: run["run_ns"])
            names = {"suite": SUITE, "case": program, "op": OPERATION, "engine": serializer, "model": MODEL}
            row = {
                "wire_bytes": best["bytes_written"],
                "ok": all(run["ok"] for run in same) and counted.get(program, best)["ok"],
                "runs": len(same),
                "share": round((best["serialize_ns"] + best["deserialize_ns"]) / best["run_ns"], 6),
                **{name: best[name] for name in MEASURED},
                **{name: counted[program][name] for name in COUNTED if program in counted},
                "cpu": cpu,
            }
            found.append(complete(names | row, MODEL, 0))
    return found


def problems(found: Sequence[Row]) -> list[str]:
    """Returns, as text, the rows that are wrong and the programs without a row."""
    there = {(row["case"], row["engine"]) for row in found}
    wrong = [f"wrong: {row['case']} ({row['engine']})" for row in found if row["ok"] is not True]
    missing = [wanted for wanted in product(PROGRAMS, SERIALIZERS) if wanted not in there]
    return wrong + [f"not measured: {program} ({serializer})" for program, serializer in missing]


def keep(out: Path, folder: Path = FOLDER) -> None:
    """Copies the captured records to the folder from which the benches take them."""
    for program in PROGRAMS:
        (folder / f"{program}.json").write_text((out / program / "records" / f"{program}.json").read_text())


def read(out: Path) -> list[dict]:
    """Returns the runs of all existing files."""
    files = [out / program / f"runs.{serializer}.jsonl" for program, serializer in product(PROGRAMS, SERIALIZERS)]
    return [json.loads(line) for file in files if file.is_file() for line in file.read_text().splitlines()]


def measure(jars: Path, out: Path, programs: Sequence[str] = PROGRAMS, extra: Sequence[str] = ()) -> list[dict]:
    """Runs programs with both serializers, each in a JVM of its own. The runs with the first one capture records."""
    for program, serializer in product(programs, SERIALIZERS):
        folder = out / program
        folder.mkdir(parents=True, exist_ok=True)
        more = ["--program", program, *(("--records", str(RECORDS)) if serializer == SERIALIZERS[0] else ()), *extra]
        log = folder / f"{serializer}.log"
        with log.open("w") as file:
            done = subprocess.run(command(jars, serializer, folder, more), stdout=file, stderr=subprocess.STDOUT)
        if done.returncode:
            tail = "\n".join(log.read_text().splitlines()[-15:])
            raise HeapwireError(f"Spark failed in {program} by {serializer} (log in {log}):\n{tail}")
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
    for each in wrong:
        print(f"spark: {each}", file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
