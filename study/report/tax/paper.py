"""The numbers in the text and tables of *Datacenter Tax Cuts*. Its run times are pictures alone."""

TYPES = ("int32", "int64", "uint32", "uint64", "float", "double", "string")
TRAFFIC = {
    "serialize": {
        "int32": (2.80, 3.16),
        "int64": (5.40, 5.59),
        "uint32": (2.80, 3.16),
        "uint64": (5.40, 5.59),
        "float": (2.68, 2.66),
        "double": (5.21, 4.79),
        "string": (30.78, 3.22),
    },
    "deserialize": {
        "int32": (5.04, 2.00),
        "int64": (9.42, 4.03),
        "uint32": (5.11, 2.04),
        "uint64": (9.41, 4.00),
        "float": (4.56, 1.96),
        "double": (8.64, 4.01),
        "string": (33.25, 25.72),
    },
}
"""GiB read and written by type, figures 3 and 6. The paper does not say for how many messages."""
SLOWER = {
    "serialize": "integers take 4 to 5 times as long as floating point of the same size, strings 10 times",
    "deserialize": "integers take 3 to 6 times as long as floating point of the same size, strings 16 times",
}
"""On a Xeon, section V-A."""
