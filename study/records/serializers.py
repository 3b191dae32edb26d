"""The serializers that are measured. Their table in C is study/firmware/programs/serializers."""

from heapwire.records import Numbers


class Serializer(Numbers, c="serializer_number", prefix="SERIALIZER_", joint="-"):
    """Number n has bit n in the engines of a case (objects.py)."""

    JAVA = 0
    KRYO_GENERIC = 1
    KRYO_MANUAL = 2
    CEREAL_SW = 3
    HW = 4  # Cereal by its units
    HW_VANILLA = 5  # the same, under the name for units without pipelining
    SKYWAY_SW = 6
    SKYWAY_HW = 7


SERIALIZERS = len(Serializer)
SERIALIZER_FLIGHT = 15
"""The bit for `hw` with one graph for each unit, all in flight at once."""
