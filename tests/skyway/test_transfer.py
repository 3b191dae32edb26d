"""Streams over a link between two processes with separate heaps, with faults of the line and of the processes."""

import threading
from collections import Counter
from random import Random

from lines import FAULTS, Relay
from node import Node, held
from test_streams import REGISTRY, some_classes, some_roots

from heapwire.cereal import difference

FRAMES_WITH_FAULTS = 60
"""Number of faulty frames of a thousand."""


class Pair:
    """A sender and a receiver on a line. Either of them may be lost."""

    def __init__(self, program, status, classes, seed, rate) -> None:
        self.program, self.status, self.classes, self.sessions = program, status, classes, 0
        self.random = Random(seed)
        self.patience = 100 if rate else 30_000
        self.nodes = [self._start(), self._start()]
        specials = {
            "cut": lambda: None,
            "sender restarts": lambda: self._kill(0),
            "receiver restarts": lambda: self._kill(1),
        }
        self.relay = Relay(seed, rate, specials)
        self.reasons: Counter[int] = Counter()
        self.restarted = 0

    def _start(self) -> Node:
        node = Node(self.program)
        node.drive(REGISTRY)
        for each in self.classes:
            node.define(each)
        return node

    def _kill(self, which: int) -> None:
        self.nodes[which].process.kill()

    def connect(self) -> None:
        """Makes both ends alive and connected to the line."""
        for which in (0, 1):
            if self.nodes[which].process.poll() is not None or self.nodes[which].lost:
                self.nodes[which].process.communicate()
                self.nodes[which] = self._start()
                self.restarted += 1
            self.sessions += 1
            assert self.nodes[which].link(self.relay.ports[which], self.sessions, self.patience)

    def attempt(self, roots) -> tuple[bool | None, int]:
        """Sends the roots in a separate phase. Returns whether the sender reports success (None: the sender died), and
        how many buffers arrived."""
        self.connect()
        sender, receiver = self.nodes
        outcome: dict[str, object] = {}

        def serve() -> None:
            try:
                outcome["served"] = receiver.serve(wanted=0 if self.relay.rate else 1)
            except AssertionError:
                receiver.lost = True

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            done = self._send(sender, roots)
        except AssertionError:
            sender.lost = True
            done = None
        thread.join()
        return done, outcome.get("served", (False, 0, 0))[1]

    def _send(self, sender: Node, roots) -> bool:
        sender.build(held(roots))
        sender.open_linked(0, 8 * self.random.choice((20, 100, 1000)))
        assert sender.phase() == 0
        good = (
            all([sender.write(i) == self.status["OK"] for i in range(len(roots))])
            and sender.finish() == self.status["OK"]
        )
        outcome, _, reason = sender.taken()
        assert (outcome == self.status["OK"]) == good
        if not good:
            assert outcome == self.status["NOT_SENT"], outcome
            self.reasons[reason] += 1
        return good

    def close(self) -> None:
        self.relay.quiet = True
        self.relay.__exit__()
        for node in self.nodes:
            node.process.kill() if node.lost else node.__exit__(None)


def test_a_good_line(programs, status, seed):
    """The graphs are larger than the output buffer. Of several transfers each arrives once."""
    random = Random(seed)
    classes = some_classes(random)
    pair = Pair(programs / "node", status, classes, seed, 0)
    for _ in range(4):
        roots = some_roots(random, classes, 300)
        assert pair.attempt(roots) == (True, 1)
        assert difference(pair.nodes[1].describe(), held(roots)) is None
    pair.close()
    assert pair.restarted == 0


def test_two_at_a_time(programs, status, seed):
    """Two streams of one phase take turns on one line. Each is a transfer with its own receiver. A third one is
    refused."""
    random = Random(seed)
    classes = some_classes(random)
    pair = Pair(programs / "node", status, classes, seed, 0)
    for last in (0, 1):
        roots = some_roots(random, classes, 100)
        pair.connect()
        sender, receiver = pair.nodes
        served = []
        thread = threading.Thread(target=lambda: served.append(receiver.serve(wanted=2)))
        thread.start()
        sender.build(held(roots))
        assert sender.phase() == status["OK"]
        for stream in (0, 1, 2):
            sender.open_linked(stream, 256)
        for i in range(len(roots)):
            for stream in (0, 1):
                assert sender.write(i if stream == last else 0, stream) == status["OK"]
        assert sender.write(0, 2) == status["NOT_SENT"] and sender.taken(2)[2] == status["OUT_OF_STREAMS"]
        for stream in (1 - last, last):
            assert sender.finish(stream) == status["OK"]
        thread.join()
        assert served[0][:2] == (True, 2)
        assert difference(receiver.describe(), held(roots)) is None
    pair.close()


def test_an_outage(programs, status, seed):
    """Several times nothing gets through for a while, and the sender goes on with the same stream. The receiver has two
    places. It gives up a transfer that the sender could not end before the next one begins."""
    random = Random(seed)
    classes = some_classes(random)
    pair = Pair(programs / "node", status, classes, seed, 0)
    pair.patience = 100
    pair.connect()
    sender, receiver = pair.nodes
    roots = some_roots(random, classes, 100)
    served = []
    thread = threading.Thread(target=lambda: served.append(receiver.serve(idle=3000, wanted=1)))
    thread.start()
    sender.build(held(roots))
    sender.open_linked(0, 160)
    for _ in range(4):
        assert sender.phase() == status["OK"] and sender.write(0) == status["OK"], sender.taken()
        pair.relay.silent = True
        assert any([sender.write(i) != status["OK"] for i in range(len(roots))]) or sender.flush() != status["OK"]
        assert sender.taken()[::2] == (status["NOT_SENT"], status["NOT_SENT"])
        pair.relay.silent = False
    assert (
        sender.phase() == status["OK"]
        and all([sender.write(i) == status["OK"] for i in range(len(roots))])
        and sender.finish() == status["OK"]
    )
    thread.join()
    assert served[0][:2] == (True, 1)
    assert difference(receiver.describe(), held(roots)) is None
    pair.close()


def test_faults(programs, status, full, seed):
    """Frames are lost, duplicated, delayed and damaged, the line is cut in mid-stream, and either end restarts. What
    arrives is whole. A sender that reports success was right, and its roots arrived once. A sender that failed reports
    why.

    The transfer completes after retries. Nothing of the failed attempts is left."""
    wanted, random = 500 if full else 30, Random(seed)
    classes = some_classes(random)
    pair = Pair(programs / "node", status, classes, seed, FRAMES_WITH_FAULTS)
    empty = None
    while sum(pair.relay.faults.values()) < wanted:
        roots = some_roots(random, classes, 200)
        for attempt in range(200):  # a large graph seldom meets neither a cut nor a restart
            done, arrivals = pair.attempt(roots)
            receiver = pair.nodes[1]
            if not receiver.lost:
                assert arrivals <= 1
                if arrivals:
                    assert difference(receiver.describe(), held(roots)) is None
                # The sender may not know that it succeeded. It never reports success wrongly.
                assert done is not True or arrivals == 1
                receiver.free_all()
                empty = empty or receiver.used()
                assert receiver.used() == empty
            if done:
                break
        assert done, (pair.relay.faults, pair.reasons)
    pair.close()
    assert set(pair.relay.faults) >= set(FAULTS) and pair.restarted + len(pair.reasons) > 0
    known = {status[name] for name in ("NOT_SENT", "CUT")}
    assert set(pair.reasons) <= known, pair.reasons
