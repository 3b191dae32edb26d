"""The unit, with strings left in the input, as an engine of the suite `protobuf`. The table of engines in C is
study/firmware/peers/upb/engines.c."""

from heapwire.records import Numbers
from heapwire.records.workload import Engine
from study.records.upb import Upb


class View(Numbers, c="view_engine", joint="-"):
    """A bit in a case behind those of upb's engines."""

    HW_VIEW = len(Engine) + len(Upb)
