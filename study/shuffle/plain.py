"""Word count, page rank, connected components and triangle counting over the same synthetic data, without workers,
streams or objects."""

import struct
import zlib
from collections import Counter
from itertools import combinations

from study.records.shuffle import PROGRAM_COMPONENTS, PROGRAM_PAGE_RANK, PROGRAM_TRIANGLES, PROGRAM_WORD_COUNT

MASK = (1 << 32) - 1
MOST_EDGES = 7
PHASES = 10
ONE = 1 << 32
DAMPING = 85
LETTERS = "etaoinshrdlucmfw"
Results = dict[str, int]


def random(a: int, b: int) -> int:
    """Returns 32 scattered bits, always the same for the same two numbers."""
    found = (a * 0x9E3779B1 + b * 0x85EBCA6B + 0x2545F491) & MASK
    found = (found ^ found >> 16) * 0x7FEB352D & MASK
    found = (found ^ found >> 15) * 0x846CA68B & MASK
    return found ^ found >> 16


def edges(vertices: int) -> list[list[int]]:
    """Returns the targets of each vertex's edges."""

    def target(vertex: int, edge: int) -> int:
        return min(random(vertex, 2 * edge + 1) % vertices, random(vertex, 2 * edge + 2) % vertices)

    return [[target(vertex, edge) for edge in range(1 + random(vertex, 0) % MOST_EDGES)] for vertex in range(vertices)]


def undirected(vertices: int) -> list[set[int]]:
    """Returns each vertex's neighbors in either direction, without itself."""
    found: list[set[int]] = [set() for _ in range(vertices)]
    for vertex, targets in enumerate(edges(vertices)):
        for target in targets:
            if target != vertex:
                found[vertex].add(target)
                found[target].add(vertex)
    return found


def word(place: int, words: int) -> str:
    """Returns the word at a place of a text of `words` words."""
    known = words // 4 + 1
    number = random(place, 7) % known * (random(place, 8) % known) // known + 0x1000
    text = ""
    while number:
        number, digit = divmod(number, 16)
        text += LETTERS[digit]
    return text


def word_count(words: int) -> Results:
    return dict(Counter(word(place, words) for place in range(words)))


def page_rank(vertices: int) -> Results:
    """Returns ranks in units of 2^-32."""
    graph, ranks = edges(vertices), [ONE] * vertices
    for _ in range(PHASES):
        sums = [0] * vertices
        for vertex, targets in enumerate(graph):
            for target in targets:
                sums[target] += ranks[vertex] // len(targets)
        ranks = [ONE * (100 - DAMPING) // 100 + total * DAMPING // 100 for total in sums]
    return {str(vertex): rank for vertex, rank in enumerate(ranks)}


def components(vertices: int) -> Results:
    """Returns the lowest vertex number in each vertex's component."""
    graph, found = undirected(vertices), {}
    for first in range(vertices):
        pending = [first]
        while pending:
            vertex = pending.pop()
            if vertex not in found:
                found[vertex] = first
                pending += graph[vertex]
    return {str(vertex): label for vertex, label in found.items()}


def triangles(vertices: int) -> Results:
    graph = undirected(vertices)
    pairs = (
        (vertex, one, other) for vertex, others in enumerate(graph) for one, other in combinations(sorted(others), 2)
    )
    return {"triangles": sum(1 for vertex, one, other in pairs if vertex < one and other in graph[one])}


SPARK = {
    PROGRAM_WORD_COUNT: word_count,
    PROGRAM_PAGE_RANK: page_rank,
    PROGRAM_COMPONENTS: components,
    PROGRAM_TRIANGLES: triangles,
}
"""Programs of the kinds that the paper runs on Spark."""


def digest(found: Results) -> int:
    """Returns the digest of shuffle_emit: the sum of the CRC-32 of each key, a byte 0, and the value's 8 bytes."""
    return sum(zlib.crc32(key.encode() + b"\0" + struct.pack("<Q", value)) for key, value in found.items()) & MASK
