"""The example of docs/reference/skyway.md, and the statuses on that page."""

import re

from base.repository import ROOT
from heapwire.cereal import Class, Kind, Object
from heapwire.skyway import Header, Registry, read, write

PAGE = (ROOT / "docs" / "reference" / "skyway.md").read_text()
NODE = Class("Node", Kind.INSTANCE, 0, (False, True))


def test_the_example():
    block = re.search(r"## An example.*?```\n(.*?)```", PAGE, re.S).group(1)
    stream = bytes.fromhex("".join(line[:50] for line in block.splitlines()))
    registry = Registry(0x1001)
    registry.lookup("first", 0), registry.lookup("second", 0)
    assert registry.load(NODE) == 3
    root = Object(NODE, 0x2A, 0, [7, Object(NODE, 0, 0, [8, None])])
    assert write([root], registry, Header(0x1001, 7, 1, 1)) == stream
    found = read(stream, registry)
    assert found.length == len(stream) and found.roots[0].hash == 0x2A and found.roots[0].slots[1].slots == [8, None]


def test_every_status_is_on_the_page(status, interface):
    own = {name for name in status if name not in interface.status}
    # No call of Skyway ends in these: one is Cereal's, the others are of calls on messages.
    others = "OUT_OF_TURN NULL_MESSAGE WRONG_TYPE NO_TYPE NO_ELEMENT BAD_SCHEMA BAD_HEAP OTHER_CLUSTER NO_CODEC "
    others += "ARENA_FULL OTHER_MEMORY"
    assert own - {"END", "NO_COLLECTOR", *others.split()} <= set(re.findall(r"[A-Z]+(?:_[A-Z]+)+|CUT", PAGE))
