"""java.lang.String in C against the JVM's, with well-formed and malformed UTF-8, in a heap that collects at every
allocation."""

import random

import pytest

from tests.common.run import checked

# Byte sequences at the limits of the UTF-8 ranges. Decoders split malformed ones at different places.
EDGES = """
41 00 7f80 c2 c241 c080 c1bf c3bf c2a9 c480 df dfbf e0 e08080 e09fbf e0a080 e0a0 e0a041 e282 e282ac e28241 eda080
edbfbf eda08041 ed9fbf ee8080 efbfbd efbfbf f0 f090 f09080 f0908080 f08fbfbf f09041 f0908041 f0908f f09f98 f09f9880
f09f988041 f48fbfbf f4908080 f490 f5808080 f8888080 fe ff 80 bf80 e2e282ac f0f09f9880 c3c3a9 f09f98f09f9880
e4b8ade69687 61c3a962 eda0bdedb880
""".split()
PIECES = [bytes.fromhex(each) for each in EDGES]


def inputs(seed: int, count: int):
    rng = random.Random(seed)
    for _ in range(count):
        kind = rng.randrange(5)
        length = rng.randrange(40)
        if kind == 0:
            yield bytes(rng.choice(b"abcdefgh \x00~") for _ in range(length))
        elif kind == 1:
            yield "".join(
                chr(rng.choice([rng.randrange(0x80), rng.randrange(0x100), 0xFF, 0x100])) for _ in range(length)
            ).encode()
        elif kind == 2:
            yield "".join(
                chr(rng.choice([0x20AC, 0x1F600, 0xFFFF, 0x10000, 0x10FFFF, 0x41])) for _ in range(length)
            ).encode()
        elif kind == 3:
            yield rng.randbytes(length)
        else:
            yield b"".join(rng.choice(PIECES) for _ in range(rng.randrange(8)))


@pytest.mark.parametrize("stress", [False, True], ids=["", "stress"])
def test_as_the_jvm(java, programs, tmp_path, stress):
    random_ones = inputs(7, 300 if stress else 4000)
    data = [b"", *PIECES, *random_ones, b"x" * 2000, "ä€".encode() * 700]
    path = tmp_path / "strings.txt"
    path.write_text("".join(each.hex() + "\n" for each in data))
    said = checked(programs / "strings", path, *(["stress"] if stress else []))
    ours, real = said.splitlines(), java.real("strings", str(path)).splitlines()
    assert len(ours) == len(real) == len(data)
    for given, own, jvm in zip(data, ours, real):
        assert own == jvm, given.hex()
