"""Strings left in the input, on the SoC (programs/views.c): arenas, the managed heap, commands in flight."""

import pytest

from tests.soc.test_heap import ARRAY, BUFFER, FULL, cls, counts, random_messages  # noqa: F401 (cls is a fixture)


@pytest.mark.parametrize("way", [BUFFER, pytest.param(ARRAY, marks=FULL)], ids=["buffer", "array"])
def test_relays_of_messages_with_views(cls, way):
    messages = [each for each in random_messages(cls) if each.HasField("a_string") and each.a_string][:4]
    messages.append(cls(a_string="s" * 700, some_bytes=b"\0\xff" * 999, strings=["é" * 600]))
    did = counts("views", messages, way, max_cycles=40_000_000)
    assert did["views"] > 2 * len(messages) and did["relays"] > 5 * len(messages)
    assert did["changes"] == 2 * len(messages) and did["refused"] > 100 and did["young"] > did["changes"]
