"""upb as engines of the suite `protobuf`, whose table in C is study/firmware/peers/upb/engines.c."""

from heapwire.records import Numbers
from heapwire.records.workload import Engine


class Upb(Numbers, c="upb_engine", joint="-"):
    """They follow the machine's own engines, and are bits in a case beside theirs."""

    UPB = len(Engine)  # copies strings, and checks their UTF-8 where the schema says so
    UPB_ALIAS = len(Engine) + 1  # the same, but leaves strings in the input
    UPB_NOCHECK = len(Engine) + 2  # copies, and checks no string
