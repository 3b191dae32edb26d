"""The schema loader refuses what docs/schema_blob.md says it must."""
import struct
import subprocess
import zlib

import pytest

from heapwire.schema import compile_schema


@pytest.fixture(scope="module")
def compiled(everything, interface):
    return compile_schema(everything.descriptor("test.Everything"), interface)


def load(programs, folder, blob):
    """What the loader says."""
    (folder / "blob").write_bytes(blob)
    result = subprocess.run([programs / "batch", folder / "blob"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert result.returncode in (0, 4), result.stderr
    return result.stdout.strip()


def changed(blob, offset, value, sealed=True):
    """The blob with another word at `offset`, its CRC made right again."""
    data = bytearray(blob)
    struct.pack_into("<I", data, offset, value)
    if sealed:
        struct.pack_into("<I", data, 12, 0)
        struct.pack_into("<I", data, 12, zlib.crc32(data))
    return bytes(data)


def word(blob, offset):
    return struct.unpack_from("<I", blob, offset)[0]


def test_accepts_a_good_one(programs, tmp_path, compiled):
    assert load(programs, tmp_path, compiled.blob) == ""


@pytest.mark.parametrize("offset, value, complaint", [
    (0, 1, "magic"), (4, 2, "version of the format"), (8, 128, "CRC"), (8, 100, "size"), (8, 1 << 30, "size"), (16, 99, "interface"),
    (20, 0, "section"), (20, 5000, "section"), (24, 0xFFFFFFF0, "section"), (24, 68, "section"), (28, 8, "section"),
    (32, 32, "section"), (36, 1 << 30, "section"), (40, 0xFFFFFFFF, "section"), (44, 0, "section"), (48, 77, "section"),
])
def test_refuses_a_bad_header(programs, tmp_path, compiled, offset, value, complaint):
    assert complaint in load(programs, tmp_path, changed(compiled.blob, offset, value))


@pytest.mark.parametrize("offset, value", [(0, 0), (0, 0xFFFFFFFF), (4, 64), (4, 8), (8, 0), (8, 0x7FFFFFC0), (24, 2), (24, 0xFFFFFFFC)])
def test_refuses_a_bad_record(programs, tmp_path, compiled, offset, value):
    at = word(compiled.blob, 24) + offset
    assert "record" in load(programs, tmp_path, changed(compiled.blob, at, value))


def test_refuses_a_bad_table(programs, tmp_path, compiled, interface):
    table = word(compiled.blob, word(compiled.blob, 24) + 8)
    assert "table" in load(programs, tmp_path, changed(compiled.blob, table + interface.header["magic"].offset, 0))
    slots = interface.header["slots_log2"].offset
    assert "table" in load(programs, tmp_path, changed(compiled.blob, table + slots, word(compiled.blob, table + slots) | 31))


def test_refuses_every_damaged_or_cut_blob(programs, tmp_path, compiled):
    for at in range(0, len(compiled.blob), len(compiled.blob) // 40):
        data = bytearray(compiled.blob)
        data[at] ^= 4
        assert load(programs, tmp_path, bytes(data)) != ""
    for size in (0, 63, 64, len(compiled.blob) - 64, len(compiled.blob) - 1):
        assert load(programs, tmp_path, compiled.blob[:size]) != ""
