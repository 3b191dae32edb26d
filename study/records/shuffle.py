"""Programs that shuffle: what machines are asked for, and what they and the host compute alike."""

from __future__ import annotations

from heapwire.records import Numbers, Record, text, u32

PROGRAM_WORD_COUNT, PROGRAM_PAGE_RANK = "word-count", "page-rank"
PROGRAM_COMPONENTS, PROGRAM_TRIANGLES = "components", "triangles"
PROGRAM_QUERY_A, PROGRAM_QUERY_B, PROGRAM_QUERY_C = "query-a", "query-b", "query-c"
PROGRAM_QUERY_D, PROGRAM_QUERY_E, PROGRAM_JSBS = "query-d", "query-e", "jsbs"
"""Names of programs."""
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

    ORDER_LINES, ORDER_CUSTOMER, ORDER_DATE, ORDER_PRIORITY = range(32, 36)
    ITEM_QUANTITY, ITEM_PRICE, ITEM_DISCOUNT, ITEM_TAX = range(36, 40)
    ITEM_SHIPPED, ITEM_COMMITTED, ITEM_RECEIVED, ITEM_RETURNED = range(40, 44)
    CUSTOMER_STREET, CUSTOMER_NATION, CUSTOMER_PHONE, CUSTOMER_BALANCE = range(44, 48)
    CUSTOMER_SEGMENT, PART_MANUFACTURER = 48, 49
    SUPPLIER_NATION, SUPPLIER_PHONE, SUPPLIER_BALANCE = range(50, 53)
    PART_SUPPLIER_COST = 53
