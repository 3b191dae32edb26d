"""Java serialization and Kryo in C against those of a real JVM: graphs of every class in both directions, bytes, and
malformed streams."""

import re
import subprocess

import pytest

from tests.common.case_program import check_cases

ENGINES = ["java", "kryo", "manual"]
MUTATIONS, FULL_MUTATIONS = 30_000, 2_000_000


def run(program, *arguments):
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-6000:]
    return result.stdout


@pytest.fixture(scope="module")
def converted(peers):
    """Reads each stream of the JVM in C, and writes the graph with each engine in C."""
    run(peers.programs / "convert", peers.data, *peers.files(*ENGINES))
    return peers


def test_between_a_jvm_and_c(converted):
    """Graphs go from each engine of the JVM through C to each engine of the JVM, and stay isomorphic. One of them is a
    list of half a million nodes.

    The bytes are those that the JVM makes of the same stream. There are two exceptions: where the JVM does not keep
    what C keeps (identity of boxes through Kryo), and where its bytes depend on what differs in C (identity hashes,
    trees in maps)."""
    output = converted.jvm("check")
    match = re.search(r"compared (\d+) exact (\d+) wrong 0$", output.strip())
    assert match, output[-4000:]
    assert int(match[1]) > 850 and int(match[2]) > 650


def test_with_a_collection_at_every_allocation(converted, tmp_path):
    """The bytes are the same, and neither the heap walker nor ASan finds anything."""
    files = converted.files(*ENGINES, largest=6000)
    run(converted.programs / "convert", tmp_path, *files, "stress")
    made = list(tmp_path.iterdir())
    assert len(made) > 2 * len(files) > 600
    for path in made:
        assert path.read_bytes() == (converted.data / path.name).read_bytes(), path.name


def test_cases(peers):
    check_cases(peers.programs / "cases", peers.data)


def test_mutated_streams(peers, full, seed):
    """A mutated stream ends in an error with an offset in the input, or is a graph that can be written. A failure
    prints the seed, which HEAPWIRE_SEED repeats."""
    count = FULL_MUTATIONS if full else MUTATIONS
    print("seed", seed)
    output = run(peers.programs / "fuzz", seed, count, *peers.files(*ENGINES, largest=6000))
    read, refused = map(int, re.match(r"read (\d+) refused (\d+)", output).groups())
    assert read + refused == count and read > count // 20 and refused > count // 3
