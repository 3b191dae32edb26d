"""The microbenchmarks' shapes (the paper's fig. 9 and table II). Objects are allocated in the order in which a program
would make them: trees depth first, lists from their end, graphs with all nodes first."""

import random

from heapwire.cereal import Object
from heapwire.klasses import Maker

NODE = "heapwire.bench."
SMALL = 1 << 16
"""Exclusive bound on values. Small values suit Kryo's variable-length encoding, as those of programs do."""


def tree(maker: Maker, width: int, levels: int, seed: int = 1) -> Object:
    """Returns a complete tree with `levels` levels below its root. Each inner node has an array of `width` children."""
    dice = random.Random(seed)

    def node(depth: int) -> Object:
        made = maker.new(f"{NODE}TreeNode", value=dice.randrange(SMALL))
        if depth:
            children = maker.references(f"[L{NODE}TreeNode;", [None] * width)
            maker.set(made, children=children)
            children.slots[:width] = [node(depth - 1) for _ in range(width)]
        return made

    return node(levels)


def nodes_of_tree(width: int, levels: int) -> int:
    return (width ** (levels + 1) - 1) // (width - 1)


def linked_list(maker: Maker, nodes: int, seed: int = 1) -> Object:
    dice, first = random.Random(seed), None
    for _ in range(nodes):
        first = maker.new(f"{NODE}ListNode", value=dice.randrange(SMALL), next=first)
    assert first is not None
    return first


def graph(maker: Maker, nodes: int, edges: int, seed: int = 1) -> Object:
    """Returns a random graph. Each node has an array of `edges` edges to different nodes. The first edges make a cycle
    through all nodes in random order, so that all are reached."""
    dice = random.Random(seed)
    made = [maker.new(f"{NODE}GraphNode", value=dice.randrange(SMALL)) for _ in range(nodes)]
    order = list(range(nodes))
    dice.shuffle(order)
    after = {order[i]: order[(i + 1) % nodes] for i in range(nodes)}
    for i, each in enumerate(made):
        others = (
            [k for k in dice.sample(range(nodes), min(edges + 2, nodes)) if k not in (i, after[i])] if edges > 1 else []
        )
        targets = [after[i], *others[: edges - 1]]
        maker.set(each, edges=maker.references(f"[L{NODE}GraphNode;", [made[k] for k in targets]))
    return made[0]
