"""The group `accessors` of suite `core`: a program's calls on a message, and the message that each must leave.
study/firmware/programs/bench/accessors.c makes the calls."""

from functools import cache
from zlib import crc32

from base.repository import ROOT
from heapwire.measure.rows import Row
from heapwire.schema import Schema, compile_proto
from heapwire.workload.digest import as_on_the_wire
from study.bench.heap import Key
from study.records.upb import Upb

ACCESSORS = "accessors"
"""The group, and Heapwire's engine in it."""
ACCESS = "access"
WHOLE = ("equals_120", "hash_120")
"""Calls that upb has not."""


@cache
def schema() -> Schema:
    return compile_proto(ROOT / "study" / "firmware" / "programs" / "bench" / "accessors.proto")


@cache
def digests() -> dict[str, set[int]]:
    """Returns the CRC-32 of the message that each call leaves: with the entries of maps in upb's order, and in that in
    which the accessors have put them."""
    order = schema().message_class("accessors.Order")()
    with_lists = as_on_the_wire(schema()).message_class("accessors.Order")
    left: dict[str, set[int]] = {}

    def after(*calls: str) -> None:
        written = order.SerializeToString(deterministic=True)
        listed = with_lists.FromString(written)
        for entries in (listed.counts, listed.tags):
            entries.sort(key=lambda entry: entry.key)
        left.update(dict.fromkeys(calls, {crc32(written), crc32(listed.SerializeToString())}))

    order.number = 7
    after("set_scalar", "get_scalar")
    order.note = "fifteen letters"
    after("set_string_15")
    order.item.SetInParent()
    after("mutable_absent_48")
    order.item.a = 5
    after("get_message")
    for _ in range(8):
        order.items.add()
    after("add_message")
    order.counts.update({7 * i: i + 1 for i in range(8)})
    after("put_int_new/8", "get_int/8")
    order.tags.update({f"key-{i}": f"key-{i}" for i in range(8)})
    after("put_string_new/8", "get_string/8")
    order.counts.update({7 * i: i + 1 for i in range(64)})
    after("put_int_new/64", "get_int/64")
    order = schema().message_class("accessors.Order")(
        number=7,
        note="fifteen letters",
        flag=True,
        price=1.5,
        item={"a": 0, "name": "name"},
        items=[{"a": i, "name": "name"} for i in (1, 2)],
        counts={7 * i: 1000 + i for i in range(3)},
        tags={f"key-{i}": "value" for i in range(2)},
    )
    after(*WHOLE)
    return left


def keys() -> list[Key]:
    """Returns the keys of the group's rows."""
    return [
        (call, ACCESS, engine)
        for call in digests()
        for engine in (ACCESSORS, Upb.UPB.text)
        if call not in WHOLE or engine == ACCESSORS
    ]


def checked(row: Row) -> Row:
    """Checks a row of a call: it is right only if the message is the official library's."""
    if row["op"] != ACCESS:
        return row
    return {**row, "ok": row["ok"] is True and row.get("digest") in digests()[str(row["case"])]}
