"""Numbers that C headers define."""

import re


def c_enum(text: str, name: str) -> dict[str, int]:
    """Returns the members of `enum name` and their values."""
    body = re.search(rf"enum {name} \{{(.*?)\}}", re.sub(r"/\*.*?\*/", "", text, flags=re.S), re.S).group(1)
    values, following = {}, 0
    for member in filter(None, (item.strip() for item in body.split(","))):
        label, _, value = member.partition("=")
        following = int(value, 0) if value else following
        values[label.strip()] = following
        following += 1
    return values


def define(text: str, name: str) -> int:
    """Returns the value of `#define name`."""
    return int(re.search(rf"#define {name}\s+\(?(0x[0-9a-fA-F]+|\d+)", text).group(1), 0)
