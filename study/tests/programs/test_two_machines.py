"""The two machines of `make demo-skyway` as host processes (ASan, UBSan), which exchange the line's tokens.

Worker 0 is the driver of class numbering, worker 1 joins, and streams cross as bytes. In tests/soc simulated SoCs take
their place."""

import json
import socket
import subprocess
import threading
from contextlib import suppress

import pytest

from study.shuffle import MOST_ORDERS, PROGRAMS, QUERIES, TIMES, results
from study.tests.programs.conftest import ROOM, SOFTWARE, agree, end, start
from tests.common.case_program import check_cases

PATIENCE = 300_000


def pump(one, other):
    """Forwards what comes from one end to the other. At the end of the input it cuts the other's line."""
    with suppress(OSError):
        while data := one.recv(1 << 16):
            other.sendall(data)
    with suppress(OSError):
        other.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def line(tmp_path):
    """Returns the path that both machines connect to."""
    path = tmp_path / "line"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(2)
        ends = []

        def join():
            with suppress(OSError):  # the test may end without them
                ends.extend(listener.accept()[0] for _ in range(2))
            for one, other in (ends, ends[::-1]) if len(ends) == 2 else ():
                threads.append(threading.Thread(target=pump, args=(one, other), daemon=True))
                threads[-1].start()

        threads = [threading.Thread(target=join, daemon=True)]
        threads[0].start()
        yield path
        listener.shutdown(socket.SHUT_RDWR)
        for each in ends:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
    for thread in threads:
        thread.join(30)
    for each in ends:
        each.close()


def check(rows, program, serializer, scale):
    expected = results(program, scale)
    for number, row in enumerate(rows):
        assert (row["program"], row["serializer"], row["scale"], row["worker"]) == (program, serializer, scale, number)
        assert row["ok"] and row["fallbacks"] == row["damaged"] == 0 and row["phases"] == rows[0]["phases"]
        assert row["roots"] >= 2 and row["local_bytes"] > 0 and row["remote_bytes"] > 0
        assert all(row[name] >= 0 for name in TIMES)
    agree(rows, expected)


def run_all(machine, line, jobs):
    """Runs the jobs on both machines, one after the other, and checks what both tell of each."""
    ended = [
        end(process) for process in [start(machine, number, 2, line, *jobs, patience=PATIENCE) for number in (0, 1)]
    ]
    assert [code for code, _ in ended] == [0, 0], ended
    told = list(zip(*([json.loads(text) for text in lines] for _, lines in ended), strict=True))
    assert len(told) == len(jobs)
    for rows, job in zip(told, jobs):
        check(rows, *job)


def test_cases_of_what_they_exchange(programs):
    check_cases(programs / "cases")


@pytest.mark.parametrize("serializer", SOFTWARE)
def test_every_program(machine, line, serializer):
    """The programs run one after the other, with the same class numbers."""
    run_all(machine, line, [(program, serializer, 40) for program in PROGRAMS])


def test_graphs_with_more_vertices_than_there_are_handles(machine, line):
    """A machine has 1,000 vertices, so that a local handle for each would not have room."""
    run_all(machine, line, [(program, "kryo-manual", 2000) for program in ("page-rank", "components", "triangles")])


@pytest.mark.parametrize("serializer", ["skyway-sw", "java", "kryo-manual"])
def test_the_largest_tables(machine, line, serializer):
    run_all(machine, line, [(query, serializer, MOST_ORDERS) for query in QUERIES])


def test_a_machine_whose_peer_ends_says_so(machine, line):
    good, bad = ("page-rank", "skyway-sw", 20), ("page-rank", "nosuch", 20)
    first, second = (start(machine, number, 2, line, job, patience=PATIENCE) for number, job in ((0, good), (1, bad)))
    assert end(second) == (1, ["# there is no program page-rank, or no serializer nosuch"])
    code, lines = end(first)
    assert code == 1 and lines[0] == "# page-rank by skyway-sw, phase 0: the other machine does not begin the exchange"
    assert json.loads(lines[1])["ok"] is False


def test_a_machine_that_never_comes(machine, line):
    """One machine connects and ends. The other one then has no peer to number its classes with."""
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(str(line))
        process = start(machine, 1, 2, line, patience=PATIENCE)
        greeting = b""
        while len(greeting) < 12:
            greeting += other.recv(12)
        other.sendall(greeting)
    assert end(process) == (1, ["# the other machine does not answer"])


def test_what_is_no_line(machine, line, tmp_path):
    ends = [start(machine, number, 2, line, patience=PATIENCE, byte_cycles=10 + number) for number in (0, 1)]
    assert [end(process) for process in ends] == [(1, [f"# {line} is no line to a simulated SoC"])] * 2
    assert end(start(machine, 0, 2, tmp_path / ("x" * 110), patience=PATIENCE))[0] == 1


BYTES = [str(bytes_) for bytes_ in ROOM]
FIXED = ["line", "20", "1", *BYTES]


@pytest.mark.parametrize(
    "arguments, wrong",
    [
        (["2", "2", *FIXED], "2"),
        (["", "2", *FIXED], ""),
        (["0", "1", *FIXED], "1"),
        (["0", "6", *FIXED], "6"),
        (["5", "5", *FIXED], "5"),
        (["1", "2", "line", "0", "1", *BYTES], "0"),
        (["1", "2", "line", "20", "-1", *BYTES], "-1"),
        (["1", "2", "line", "20", "4294967295", *BYTES], "4294967295"),
        (["1", "2", "line", "20", "1", "5", "8388608"], "5"),
        (["1", "2", "line", "20", "1", "2097152", "99999999"], "99999999"),
        (["1", "2", "line", "20"], "20"),
        (["1", "2", *FIXED, "page-rank"], "page-rank"),
        (["1", "2", *FIXED, "page-rank-and-more", "java", "1"], "page-rank-and-more"),
        (["1", "2", *FIXED, "page-rank", "java", "0"], "0"),
        (["1", "2", *FIXED, "page-rank", "java", "4x"], "4x"),
        (["1", "2", *FIXED, "page-rank", "java", "99999999999999999999"], "9" * 20),
    ],
)
def test_arguments_that_mean_nothing(machine, arguments, wrong):
    process = subprocess.run([machine, *arguments], capture_output=True, text=True, timeout=60)
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.splitlines()[0] == f"worker: '{wrong}' means nothing"
