"""Object graphs in Python."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Iterator

from heapwire.cereal.classes import Class


@dataclass(eq=False, repr=False)
class Object:
    """One object. Objects are compared by identity.

    hash: identity hash; 0 if nobody has asked for it. length: number of elements of an array. slots: the slots behind
    the header. A reference slot is an Object or None; a value slot is a number of 32 bits. The padding of an array is
    included."""

    cls: Class
    hash: int = 0
    length: int = 0
    slots: list[Object | int | None] = field(default_factory=list)

    def references(self) -> Iterator[Object | None]:
        """Yields the contents of the reference slots, in order."""
        cls, length = self.cls, self.length
        return (slot for i, slot in enumerate(self.slots) if cls.is_reference(i, length))

    def __repr__(self) -> str:
        return f"<{self.cls.name}{[self.length] if self.cls.is_array else ''}>"


def objects(root: Object) -> list[Object]:
    """Returns all objects that the root reaches, breadth first, which is the order of a stream."""
    found, known, queue = [root], {id(root)}, deque([root])
    while queue:
        for target in queue.popleft().references():
            if target is not None and id(target) not in known:
                known.add(id(target))
                found.append(target)
                queue.append(target)
    return found


def difference(first: Object, second: Object, hashes: bool = True) -> str | None:
    """Returns how two graphs differ, or None if they are isomorphic. Isomorphic graphs differ only in the places of
    their objects.

    hashes: whether identity hashes must be equal, too."""
    partner, back = {id(first): second}, {id(second): first}
    queue = deque([(first, second, "root")])
    while queue:
        one, other, path = queue.popleft()
        if one.cls != other.cls or one.length != other.length or len(one.slots) != len(other.slots):
            return f"{path}: {one} and {other}"
        if hashes and one.hash != other.hash:
            return f"{path}: hash {one.hash:#x} and {other.hash:#x}"
        for i, (left, right) in enumerate(zip(one.slots, other.slots)):
            if not isinstance(left, Object) or not isinstance(right, Object):
                if left != right:
                    return f"{path}[{i}]: {left} and {right}"
            elif id(left) not in partner and id(right) not in back:
                partner[id(left)], back[id(right)] = right, left
                queue.append((left, right, f"{path}[{i}]" if len(path) < 200 else "..."))
            elif partner.get(id(left)) is not right or back.get(id(right)) is not left:
                return f"{path}[{i}]: shared otherwise"
    return None
