"""Pieces of C text."""

from __future__ import annotations


def inline_function(result: str, name: str, parameters: str, body: str) -> str:
    """Returns a function that returns an expression."""
    return f"static inline {result} {name}({parameters})\n{{\n    return {body};\n}}\n"
