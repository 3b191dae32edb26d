"""Spark's programs by the serializers of the JVM's library. Skipped where Spark's jars are not."""

import os
import subprocess
from collections import Counter

import pytest
from test_spark import JARS, OUT, pytestmark  # noqa: F401

from base.repository import ROOT
from heapwire import firmware
from study.bench.spark import OPENED
from tests.common.run import checked

OWN = ("heapwire.spark.CerealSerializer", "heapwire.spark.SkywaySerializer")
SERIALIZERS = ("org.apache.spark.serializer.JavaSerializer", "org.apache.spark.serializer.KryoSerializer", *OWN)
WORDS = "a rose is a rose is a rose as a rose is not a nose".split()


@pytest.fixture(scope="module")
def java(tmp_path_factory):
    """Returns the command that runs a class of java/."""
    make = ["make", "--no-print-directory", "-C", ROOT / "study" / "java", "spark"]
    checked(*make, f"JARS={JARS.resolve()}", f"OUT={OUT}")
    library = firmware.build_classes(ROOT / "host" / "java", OUT, goal="spark", SPARK=JARS)
    classes = tmp_path_factory.mktemp("serializers")
    path = f"{OUT / 'classes'}:{library / 'heapwire.jar'}:{library / 'heapwire-spark.jar'}:{JARS.resolve()}/*"
    sources = (ROOT / "study" / "tests" / "spark" / "java").glob("*.java")
    checked("javac", "-nowarn", "--release", "17", "-cp", path, "-d", classes, *sources)
    opens = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    return ["java", "-Xmx2g", "-XX:+UseSerialGC", *opens, "-cp", f"{classes}:{path}"]


def test_programs_that_do_not_know_their_serializer(java):
    """Word count, page rank and connected components have the same results by each. Our formats have all objects but a
    lambda and null, which go by Java's serializer; None stays the one that it is."""
    lines = [line.split() for line in checked(*java, "Results", *SERIALIZERS).splitlines()]
    for serializer in SERIALIZERS:
        results = [line[2:] for line in lines if line[:2] == [serializer, "result"]]
        assert len(results) == 3
        assert all(float(found) == pytest.approx(float(expected), rel=1e-9) for found, expected in results)
    for serializer in OWN:
        objects = [line[2:] for line in lines if line[:2] == [serializer, "object"]]
        assert objects == [["1", "true"]] * 4 + [["2", "true"]] * 2


def test_a_partition_on_the_machine(java):
    """A task sends its partition to a simulated machine, and uses what comes back."""
    client = " ".join(f"'{word}'" for word in [*java, "OnMachine"])
    command = ["make", "-s", "-C", ROOT / "examples" / "jvm", "run", f'FLAGS=--client "{client}"']
    inherited = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    done = subprocess.run(command, env=inherited, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    told, counts = done.stdout.splitlines()[-2:]
    assert told.startswith("the machine counted")
    assert counts == "{" + ", ".join(f"{word}={count}" for word, count in sorted(Counter(WORDS).items())) + "}"
