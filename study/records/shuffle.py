"""Programs that shuffle: what machines are asked for, and what they and the host compute alike."""

from __future__ import annotations

from heapwire.records import Numbers, Record, text, u32

SHUFFLE_BENCH_WORDS, SHUFFLE_BENCH_VERTICES, SHUFFLE_BENCH_ORDERS = 400, 64, 96
"""Sizes of problems of the suite."""


class Time(Numbers, c="shuffle_time", prefix="SHUFFLE_"):
    """The parts of the time: the columns of the papers. Collections count as such, wherever they happen."""

    COMPUTATION = 0
    COLLECTION = 1
    SERIALIZE = 2  # objects to bytes
    WRITE = 3  # bytes out of this machine
    DESERIALIZE = 4  # bytes to objects
    READ = 5  # bytes into this machine


class Parameters(Record, c="skyway_parameters"):
    """What a machine is given; jobs follow."""

    worker: u32  # the number of this one
    workers: u32  # how many there are
    heap_offset: u32  # within the heap region
    heap_bytes: u32
    memory_bytes: u32  # for serializers and streams
    patience: u32  # in cycles
    tell: u32  # whether to print a line for each phase
    count: u32  # number of jobs


class Job(Record, c="skyway_job"):
    """A program, by its name, with a serializer."""

    program: text[16]
    serializer: text[16]
    scale: u32


TABLE_NATIONS = 25
TABLE_YEAR = 365
"""Days of the first year, and of the second."""
TABLE_DAYS = 730
"""All dates lie before."""
TABLE_TODAY = 670
"""What is shipped or received later is still open."""
TABLE_PART_SUPPLIERS = 4
TABLE_ORDER_LINES = 8
"""Row numbers of LINEITEM that an order takes; it has fewer items."""


class Column(Numbers, c="table_random", prefix=""):
    """Columns with random values."""

    ORDER_LINES = 32
    ORDER_CUSTOMER = 33
    ORDER_DATE = 34
    ORDER_PRIORITY = 35
    ITEM_QUANTITY = 36
    ITEM_PRICE = 37
    ITEM_DISCOUNT = 38
    ITEM_TAX = 39
    ITEM_SHIPPED = 40
    ITEM_COMMITTED = 41
    ITEM_RECEIVED = 42
    ITEM_RETURNED = 43
    CUSTOMER_STREET = 44
    CUSTOMER_NATION = 45
    CUSTOMER_PHONE = 46
    CUSTOMER_BALANCE = 47
    CUSTOMER_SEGMENT = 48
    PART_MANUFACTURER = 49
    SUPPLIER_NATION = 50
    SUPPLIER_PHONE = 51
    SUPPLIER_BALANCE = 52
    PART_SUPPLIER_COST = 53
