"""Random graphs for nodes that are their own drivers."""

from node import HOLDER, REGISTRY

from heapwire.skyway import Registry
from tests.common.random_graphs import random_classes, random_graph


def some_classes(random):
    """Returns random classes, among them the holder's."""
    return [HOLDER if each.name == HOLDER.name else each for each in random_classes(random)]


def numbered(node, classes):
    """Registers the classes in the process and in Python, under the same numbers."""
    registry = Registry(REGISTRY)
    node.drive()
    for each in classes:
        assert node.define(each) == registry.load(each)
    return registry


def some_roots(random, classes, most):
    """Returns several roots that share reachable objects. Some are null, some are repeated."""
    graph = random_graph(random, classes, random.choice((1, 2, 3, 10, 30, most)))
    known = [graph]
    for each in known:
        known += [
            slot for slot in each.references() if slot is not None and not any(slot is other for other in known[-50:])
        ][:3]
        if len(known) > 40:
            break
    return [random.choice((None, *known, *known)) for _ in range(random.choice((0, 1, 2, 5, 12)))] + [graph]


def cluster(node, random, most, count=1):
    """Returns classes and the roots of graphs, in a process that is its own driver."""
    classes = some_classes(random)
    registry = numbered(node, classes)
    return classes, registry, [some_roots(random, classes, most) for _ in range(count)]
