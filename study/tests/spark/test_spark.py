"""A program of the papers by Spark on this machine's JVM: its result, its row, the records that it captures.
Skipped where Spark's jars are not: `make spark` fetches them."""

import json
import os
import re
import subprocess

import pytest

from base.repository import ROOT
from study.bench import spark
from study.bench.objects import captured

JARS = ROOT / os.environ.get("CACHE", ".cache") / "spark"
VERSION = re.search(r"^SPARK_VERSION=(.*)", (ROOT / "tools.env").read_text(), re.M)[1]
OUT = ROOT / "build" / "spark"
PROGRAM = "triangles"

pytestmark = pytest.mark.skipif(
    not (JARS / f".installed-{VERSION}").is_file(),
    reason=f"Spark {VERSION} is not in the cache: `make spark` fetches it, 180 MB",
)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Where a program has been run by both serializers."""
    make = ["make", "--no-print-directory", "-C", ROOT / "study" / "java", "spark"]
    done = subprocess.run([*make, f"JARS={JARS.resolve()}", f"OUT={OUT}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    folder = tmp_path_factory.mktemp("spark")
    spark.measure(JARS.resolve(), folder, (PROGRAM,), seconds=1, scale=1)
    return folder


def test_both_serializers_find_what_a_plain_computation_finds(out):
    rows = spark.rows(spark.read(out))
    assert [(row["case"], row["engine"], row["ok"]) for row in rows] == [
        (PROGRAM, serializer, True) for serializer in spark.SERIALIZERS
    ]
    for row in rows:
        assert 0 < row["share"] < 1 and row["serialize_ns"] > 0 and row["deserialize_ns"] > 0 and row["tasks"] > 0
        assert row["samples"] > 100 and abs(sum(row[f"{part}_ns"] for part in spark.PARTS) - row["run_ns"]) < 10
        assert row["roots_written"] == 2 * row["records"] <= row["roots_read"]
    assert rows[1]["wire_bytes"] > rows[0]["wire_bytes"], "Java's stream refers back to a vertex that it has written"


def test_records_are_those_of_the_benches(out):
    """Inputs are the same in each run, and so is the sample."""
    there = json.loads(spark.captured(out, PROGRAM).read_text())
    assert there == captured.load(captured.file_of(PROGRAM))
    assert there["spark"] == VERSION


def test_a_program_that_is_not_there_is_refused(out):
    done = subprocess.run(spark.command(JARS.resolve(), out, ("--program", "nosuch")), capture_output=True, text=True)
    assert done.returncode and "no program [nosuch]; there are [nweight, svm" in done.stderr
