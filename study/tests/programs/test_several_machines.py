"""Several machines behind a switch, as host processes (ASan, UBSan): JSBS's broadcast and the programs that shuffle. In
tests/soc simulated SoCs take their place."""

import json
import socket
import struct
import threading
from contextlib import suppress

import pytest

from sim.medium import MAGIC, QUANTUM, Medium
from study.shuffle import JSBS, PROGRAMS, jsbs, results
from study.tests.programs.conftest import BYTE_CYCLES, SECONDS, SOFTWARE, agree, end, start

PATIENCE, IMPATIENCE = 3_000_000, 20_000


def run(machine, machines, *jobs):
    """Runs the jobs on all machines. Returns the rows of each job, by machine, and the switch."""
    with Medium(machines, BYTE_CYCLES) as medium:
        started = [
            start(machine, number, machines, medium.paths[number], *jobs, patience=PATIENCE)
            for number in range(machines)
        ]
        ended = [end(process) for process in started]
    assert all(code == 0 for code, _ in ended), ended
    told = [[json.loads(line) for line in lines] for _, lines in ended]
    return list(zip(*told, strict=True)), medium.switch


def check(rows, expected):
    assert all(row["ok"] and row["fallbacks"] == row["damaged"] == row["resent"] == 0 for row in rows)
    agree(rows, expected)


def test_five_machines_broadcast(machine):
    """Every machine receives every object of every other, by each serializer."""
    told, switch = run(machine, 5, *((JSBS, serializer, 2) for serializer in SOFTWARE))
    assert len(told) == len(SOFTWARE) and switch.forwarded > 0 and switch.dropped == 0
    for rows in told:
        check(rows, jsbs.results(2, 5))
        assert all(row["serialize"] == row["deserialize"] == 0 for row in rows), "a process takes no simulated time"
        assert len({row["remote_bytes"] for row in rows}) == 1 and all(row["read"] + row["write"] > 0 for row in rows)


def test_all_machines_send_at_once(machine):
    """If each machine waited until another one has nothing to send any more, one after the other would send: the
    streams would take five times as long as the bytes of one machine on its line."""
    ((rows,), _) = run(machine, 5, (JSBS, "skyway-sw", 2))
    assert all(row["write"] + row["read"] < 3 * BYTE_CYCLES * row["remote_bytes"] for row in rows)


def test_it_repeats_to_the_cycle(machine):
    first, again = (run(machine, 3, (JSBS, "skyway-sw", 2), ("components", "kryo-manual", 20))[0] for _ in range(2))
    assert first == again


@pytest.mark.parametrize("machines", [3, 4])
def test_programs_on_several_machines(machine, machines):
    told, _ = run(machine, machines, *((program, "skyway-sw", 40) for program in PROGRAMS))
    for rows, program in zip(told, PROGRAMS, strict=True):
        check(rows, results(program, 40))


def test_one_object_is_not_the_other():
    """A digest depends on the object's number, and a result on who has received it."""
    found = jsbs.results(2, 3)
    assert len(found) == 3 * 2 * 2 * jsbs.ROUNDS and len(set(found.values())) == 3 * 2 * jsbs.ROUNDS


def test_a_machine_that_never_comes(machine):
    """The others give up and say so."""
    with Medium(3, BYTE_CYCLES) as medium:
        started = [
            start(machine, number, 3, medium.paths[number], patience=IMPATIENCE, byte_cycles=cycles)
            for number, cycles in enumerate((BYTE_CYCLES, 7, 7))
        ]
        ended = [end(process) for process in started]
    assert [code for code, _ in ended] == [1, 1, 1] and ended[0][1] == ["# machine 1 does not answer"]


def silent(path):
    """A machine that lets time pass and never says anything, until its line is cut."""
    with socket.socket(socket.AF_UNIX) as end, suppress(OSError):
        end.connect(str(path))
        end.sendall(MAGIC + struct.pack("<2I", QUANTUM, BYTE_CYCLES))
        while end.recv(1 << 12):
            end.sendall(b"\0\0")


def test_the_machine_that_is_silent_is_named(machine):
    """Machine 0 hears machine 1, and waits for machine 2 in vain."""
    with Medium(3, BYTE_CYCLES) as medium:
        thread = threading.Thread(target=silent, args=(medium.paths[2],), daemon=True)
        thread.start()
        started = [start(machine, number, 3, medium.paths[number], patience=IMPATIENCE) for number in (0, 1)]
        told = [end(process)[1] for process in started]
        assert told[0] == ["# machine 2 does not answer"]
    thread.join(SECONDS)
    assert not thread.is_alive()
