"""Lines while something takes long."""

import time

from base.waiting import waiting


def test_it_is_told_how_long_something_takes_while_nothing_else_is_said():
    said = []
    with waiting(said.append, lambda minutes: f"{minutes:.0f} min: still there", 0.2) as tell:
        for _ in range(4):
            time.sleep(0.05)
            tell("a line")
        assert said == ["a line"] * 4
        time.sleep(0.5)
    assert said[4:] and set(said[4:]) == {"0 min: still there"}
    told = len(said)
    time.sleep(0.3)
    assert len(said) == told
