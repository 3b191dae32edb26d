"""The messages of the demo's calls."""

READINGS = (2, 13, 85)
"""Of a report, which then has some 50, 250 and 1,400 bytes."""


def report(kind, readings):
    made = kind(device="boiler-7-cellar", sequence=1)
    for index in range(readings):
        made.readings.add(sensor=index, value=index * 37 - 400, time=1_700_000_000 + index)
    if readings > 2:
        made.labels.update({"place": "cellar", "owner": "city"})
    return made
