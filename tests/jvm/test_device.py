"""From HotSpot to the simulated machine and back: units read each graph and write it again."""

from dataclasses import replace

import pytest

from base.repository import ROOT
from heapwire import firmware, interface, simulation
from heapwire.cereal import read, write
from heapwire.klasses import Klasses
from heapwire.skyway import read as read_skyway
from heapwire.skyway import write as write_skyway
from sim.run import Build, Simulation, run
from tests.jvm.conftest import HERE, OUT, unpacked

CONFIG = "skyway-x2"
SHORT, LONG = 20, 100_000
HEAD = 64
"""Bytes before a stream in the machine's memory (device/turn.c)."""
WAIT = 900.0


@pytest.fixture(scope="module")
def there(jvm):
    """Returns the JVM with the classes that a unit has room for: without the random ones."""
    if not Build.of(CONFIG).binary.is_file():
        pytest.fail(f"there is no simulator. What to do: make sim CONFIG={CONFIG}")
    tables = OUT / "device"
    jar = jvm.path.split(":")[0]
    lists = {"LIST": HERE / "classes.txt", "SOURCES": HERE / "java", "CLASSPATH": jar}
    firmware.build_classes(ROOT / "host" / "java", tables, **lists)
    return replace(jvm, tables=tables, klasses=Klasses(tables / "classes.json"))


@pytest.fixture(scope="module")
def image(there):
    parts = simulation.parts(CONFIG)
    return firmware.build("turn", parts, OUT / parts.name, folder=HERE / "device", classes=there.tables)


def written_again(jvm, stream):
    """Returns what Python writes of the stream's graph."""
    if jvm.format == "cereal":
        return write(read(stream, jvm.classes).root, jvm.classes)
    found = read_skyway(stream, jvm.klasses.registry)
    return write_skyway(found.roots, jvm.klasses.registry, found.header)


def test_graphs_over_the_line(there, image):
    """All cases by both formats, over the UART's port. Units do all of it. Bytes are those of Python's writer."""
    with Simulation(image, config=CONFIG) as machine:
        where, counts = f"localhost:{machine.port}", []
        for jvm in (there, replace(there, format="skyway")):
            assert jvm.check("line", where, there.folder / "turned", str(SHORT)) == ["good"]
            streams = unpacked((there.folder / "turned").read_bytes())
            for sent, answer in zip(streams[::2], streams[1::2], strict=True):
                assert written_again(jvm, sent) == sent and written_again(jvm, answer) == answer
                assert jvm.format == "skyway" or answer == sent
            counts.append(len(streams) // 2)
        told = [int(word) for word in there.check("tell", where)]
        assert machine.end(timeout=WAIT).code == 0
    cereal, skyway = counts
    read, written, left, taken, sent, takes_left, sends_left = told
    assert (left, takes_left, sends_left) == (0, 0, 0)
    assert read >= cereal and written >= cereal and taken == skyway and sent >= skyway


def packed(streams):
    """Returns the streams as device/turn.c finds them in memory, each behind its length."""
    whole = (len(each).to_bytes(HEAD, "little") + each + bytes(-len(each) % HEAD) for each in streams)
    return b"".join(whole) + bytes(HEAD)


def found(memory):
    streams, at = [], 0
    while length := int.from_bytes(memory[at : at + 4], "little"):
        streams.append(memory[at + HEAD : at + HEAD + length])
        at += HEAD + length + -length % HEAD
    return streams


@pytest.mark.full
@pytest.mark.parametrize("format", ["cereal", "skyway"])
def test_large_graphs(there, image, format):
    """All cases, a graph of more than 10^5 objects among them, from memory to memory."""
    jvm = replace(there, format=format)
    cluster = interface.load(simulation.parts(CONFIG).gen / "heapwire.json").cluster
    load, third = cluster["memoryBase"] + cluster["memoryBytes"] // 8, cluster["memoryBytes"] // 8 // 64 * 64
    streams = jvm.written(LONG)[:: 2 if format == "cereal" else 1]
    assert max(map(len, streams)) > 5_000_000
    whole = packed(streams)
    done = run(image, [(load, whole)], [(load + third, len(whole))], max_cycles=2_000_000_000, config=CONFIG).check()
    answers = found(done.memory[0])
    for sent, answer in zip(streams, answers, strict=True):
        assert written_again(jvm, answer) == answer and (format == "skyway" or answer == sent)
    (jvm.folder / "answers").write_bytes(b"".join(len(each).to_bytes(4, "big") + each for each in answers))
    assert jvm.check("compare", jvm.folder / "answers", str(LONG)) == ["good"]
