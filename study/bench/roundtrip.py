"""The group `roundtrip` of suite `core`: what a message costs a program that receives it, reads it, looks at ten of its
fields, changes three and writes it. study/firmware/programs/bench/roundtrip.h says which."""

from functools import cache
from pathlib import Path
from zlib import crc32

from google.protobuf.message import Message

from base.repository import ROOT
from heapwire import nanopb
from heapwire.interface import Interface
from heapwire.measure.messages import demo_group
from heapwire.measure.rows import Row
from heapwire.plugin.generate import write_files
from heapwire.workload.group import Group
from heapwire.workload.messages import PROTO
from study.bench.heap import EDENS, KEPT, Key
from study.records.upb import Upb

ROUND_TRIP = "roundtrip"
"""The group, and the name of its image."""
CASES = ("demo/MediaContent, no image", "demo/MediaContent, 2 images")
TRIP = "round trip"
"""The operation without collections."""
WITH_COLLECTIONS = f"{TRIP}/{EDENS[0]}/{KEPT[1]}"
"""The operation in a heap: bytes of eden, messages kept."""
SOFTWARE = ("nanopb", "table", Upb.UPB.text, Upb.UPB_ALIAS.text)
ENGINES = {TRIP: (*SOFTWARE, "hw-arenas", "hw"), WITH_COLLECTIONS: ("hw",)}


@cache
def group() -> Group:
    """Returns the messages."""
    demo = demo_group()
    found = {case.name: case for case in demo.cases}
    return Group(ROUND_TRIP, demo.schema, [found[name] for name in CASES])


def generate(folder: Path, interface: Interface) -> None:
    """Writes the code of accessors and of nanopb."""
    write_files(group().schema, folder, interface)
    options = ROOT / "study" / "firmware" / "programs" / "bench" / "roundtrip.options"
    nanopb.generate([PROTO.name], folder, [PROTO.parent], options)


def change(content: Message) -> None:
    """Does what the program does between reading and writing."""

    def seen(text: str) -> int:
        return text.encode()[0] + len(text.encode())

    media = content.media
    total = len(content.image) + seen(media.uri) + media.width + seen(media.format) + media.duration + media.bitrate
    total += media.player + seen(media.person[1])
    if content.image:
        image = content.image[-1]
        total += seen(image.uri) + image.width
        image.height = 481
    else:
        total += media.height + media.size
        media.height = 481
    media.bitrate = total & 0x7FFFFFFF
    media.copyright = "fifteen letters"


@cache
def digests() -> dict[str, int]:
    """Returns the CRC-32 of what the official library writes, by message."""
    found = {}
    for case in group().cases:
        content = group().schema.message_class(case.type_name).FromString(case.data)
        change(content)
        found[case.name] = crc32(content.SerializeToString(deterministic=True))
    return found


def keys() -> list[Key]:
    """Returns the keys of the group's rows."""
    return [(case, op, engine) for case in CASES for op, engines in ENGINES.items() for engine in engines]


def checked(row: Row) -> Row:
    """Checks a row of a round trip: it is right only if the bytes are the official library's."""
    if row["op"] not in ENGINES:
        return row
    return {**row, "ok": row["ok"] is True and row.get("digest") == digests()[str(row["case"])]}
