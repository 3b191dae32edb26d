"""Random classes and graphs for tests: every kind of array, classes of many shapes, cycles, shared objects, nulls."""

from __future__ import annotations

from random import Random

from heapwire.cereal.graph import Class, Kind, Object

ARRAYS = (("[Z", 0), ("[B", 0), ("[C", 1), ("[S", 1), ("[I", 2), ("[F", 2), ("[J", 3), ("[D", 3))
LETTERS = "abcxyzABCXYZ_$09\u00e4\u00df\u03bb\u4e2d\U0001d54f"
WIDEST = 300
"""Slots of an instance, at most."""


def random_classes(random: Random, count: int = 24, widest: int = WIDEST, reach: int = WIDEST) -> list[Class]:
    """Returns classes in random order: all arrays of values, two of references, and instances of up to `widest` slots.
    Only the first `reach` slots of an instance may hold references."""
    found = [Class(name, Kind.VALUES, shift) for name, shift in ARRAYS]
    found += [Class("[Ljava.lang.Object;", Kind.REFERENCES, 2), Class("[[J", Kind.REFERENCES, 2)]
    while len(found) < count:
        slots = 2 * random.choice((0, 1, 1, 1, 2, 2, 3, 5, random.randrange(12, 20)))
        slots = min(random.choice((slots,) * 9 + (2 * random.randrange(widest // 2 + 1),)), widest)
        often = random.choice((0, 0.1, 0.5, 0.9, 1))
        name = f"test.{''.join(random.choice(LETTERS) for _ in range(random.randrange(12)))}{len(found)}"
        references = tuple(random.random() < often and slot < reach for slot in range(slots))
        found.append(Class(name, Kind.INSTANCE, 0, references))
    random.shuffle(found)
    return found


def _value(random: Random) -> int:
    return random.choice((0, 1, random.randrange(256), random.getrandbits(32), random.getrandbits(32)))


def _length(random: Random, large: int) -> int:
    return random.choice((0, 1, 2, 3, random.randrange(9), random.randrange(40), random.randrange(large)))


def _blank(random: Random, cls: Class, large: int) -> Object:
    """Returns an object with null references."""
    length = _length(random, large) if cls.is_array else 0
    hashed = random.random() < 0.3
    found = Object(cls, random.getrandbits(25) if hashed else 0, length)
    end = length << cls.shift if cls.kind == Kind.VALUES else None
    for i in range(cls.slots(length)):
        if cls.is_reference(i, length):
            found.slots.append(None)
        elif cls.kind == Kind.INSTANCE:
            found.slots.append(_value(random))
        else:
            fits = min(max((end or 0) - 4 * i, 0), 4)
            found.slots.append(random.getrandbits(8 * fits) if fits else 0)
    return found


def random_graph(random: Random, classes: list[Class], count: int, large: int = 120) -> Object:
    """Returns the root of a graph of up to `count` objects.

    large: exclusive bound on the length of an array."""
    bearing = [each for each in classes if each.kind == Kind.REFERENCES or any(each.references)]
    nulls, shape = random.choice((0, 0.3, 0.9)), random.choice(("list", "tree", "any"))
    root = _blank(random, random.choice(bearing if bearing and random.random() < 0.95 else classes), large)
    known, free = [root], []
    for _ in range(count - 1):
        free += [(known[-1], i) for i, slot in enumerate(known[-1].slots) if slot is None]
        if not free:
            break
        at = {"list": -1, "tree": 0, "any": random.randrange(len(free))}[shape]
        owner, slot = free.pop(at)
        leaf = not bearing or random.random() < 0.4
        known.append(_blank(random, random.choice(classes if leaf else bearing), large))
        owner.slots[slot] = known[-1]
    for owner, slot in free:
        if random.random() >= nulls:
            owner.slots[slot] = random.choice(known)
    return root
