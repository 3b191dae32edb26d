"""Random Java classes: chains of superclasses with fields of every size, and members of every visibility."""

import random

TYPES = ["boolean", "byte", "char", "short", "int", "float", "long", "double", "Object", "int[]", "String"]
VISIBILITY = ["", "public ", "protected ", "private "]


def field(rng: random.Random, number: int) -> str:
    modifiers = rng.choice(VISIBILITY) + rng.choice(["", "", "", "static ", "transient ", "volatile "])
    return f"    {modifiers}{rng.choice(TYPES)} f{number};\n"


def method(rng: random.Random, number: int) -> str:
    modifiers = rng.choice(VISIBILITY) + rng.choice(["", "static ", "synchronized ", "final "])
    parameters = ", ".join(f"{rng.choice(TYPES)} p{i}" for i in range(rng.randrange(3)))
    return f"    {modifiers}void m{rng.randrange(3)}x{number}({parameters}) {{}}\n"


def sources(seed: int, count: int) -> dict[str, str]:
    """Returns the sources of `count` classes by name. Each class extends an earlier one or none."""
    rng = random.Random(seed)
    found: dict[str, str] = {}
    for number in range(count):
        name = f"R{number}"
        parent = rng.choice(list(found)[-12:]) if found and rng.random() < 0.7 else None
        text = f"package random;\npublic class {name}" + (f" extends {parent}" if parent else "")
        text += (
            rng.choice(["", " implements java.io.Serializable", " implements Runnable, java.io.Serializable"]) + " {\n"
        )
        text += "".join(field(rng, i) for i in range(rng.choice([0, 1, 2, 3, 5, 8])))
        text += "".join(method(rng, number * 10 + i) for i in range(rng.randrange(4)))
        text += "    public void run() {}\n"
        if rng.random() < 0.2:
            text += '    static { System.getProperty("x"); }\n'
        found[name] = text + "}\n"
    return found
