"""The numbers in the text and tables of *Skyway* (ASPLOS 2018)."""

from heapwire.bench import skyway_page

SPARK_SHARES = {
    "kryo-manual": {"serialize": 0.182, "write": 0.014, "deserialize": 0.141, "read": 0.011},
    "java": {"serialize": 0.163, "write": 0.023, "deserialize": 0.178, "read": 0.099},
}
"""Shares of the time of triangle counting on LiveJournal, figure 3(a), section 2."""
JSBS = {"kryo-manual": 2.2, "java": 67.3, "colfer": 1.5}
"""How many times as fast as these Skyway is, section 5.1. For Java the paper says `more than 67`."""
TABLE_2 = {
    engine: tuple(f"{least:.2f} to {most:.2f} ({mean:.2f})" for least, most, mean in found)
    for engine, found in skyway_page.PAPER.items()
}
"""Normalized to Java serialization: overall, serialize, write, deserialize, read, size."""
EXTRA = {"headers": 0.51, "padding": 0.34, "pointers": 0.15}
"""Shares of Skyway's extra bytes, section 5.2."""
MEMORY = (0.021, 0.218, 0.154)
"""Share by which the field baddr increases the peak heap: least, most, mean."""
