"""Statuses of calls, beside HW_STATUS_* of the units (heapwire.h), each with what it means."""

from heapwire.records import Numbers


class DriverStatus(Numbers, c="hw_driver_status", prefix="HW_STATUS_"):
    """Those of all drivers, and of calls on messages."""

    NO_HANDLE = 0x100, "no room for another local handle: close scopes earlier, or give the heap a larger large_bytes"
    OUT_OF_MEMORY = 0x101, "collections made no room for the objects"
    OUT_OF_EPOCHS = 0x102, "every epoch is in use by an open serialization"
    NOT_SENT = 0x103, "the medium accepted no more of a stream"
    OUT_OF_TURN = 0x104, "a begin before the context's previous end, or an end that matches no begin"
    NULL_MESSAGE = 0x105, "a change, or a call that wants a message, without a handle"
    WRONG_TYPE = 0x106, "the object is not of the class that was asked for"
    NO_TYPE = 0x107, "the schemas in force lack the type, or lay it out in another way than the accessors"
    NO_ELEMENT = 0x108, "an index that a list does not have"
    BAD_SCHEMA = 0x109, "the schema cannot be loaded"
    BAD_HEAP = 0x10A, "the heap's options do not fit together"
    OTHER_CLUSTER = 0x10B, "the program was built for another cluster"
    NO_CODEC = 0x10C, "no unit executes the command, and the program is linked without the codec"
    NO_COLLECTOR = 0x10D, "the heap is full, and the program is linked without the collector"
    ARENA_FULL = 0x10E, "the arenas have no room for what a change of their message makes"
    OTHER_MEMORY = 0x10F, "a message's arenas are not in force, or it would refer to an object in another memory"


class SkywayStatus(Numbers, c="hw_skyway_status", prefix="HW_SKYWAY_"):
    """Those of Skyway's calls alone (docs/reference/skyway.md)."""

    # Classes and their numbers.
    NO_REGISTRY = 0x200, "hw_skyway_join and hw_skyway_drive were not called, or failed"
    LOST_DRIVER = 0x201, "the driver does not answer"
    OTHER_REGISTRY = 0x202, "the driver, or a stream's sender, has another numbering of classes: it has restarted"
    CLASS_CONFLICT = 0x203, "a class of this name has another layout elsewhere"
    REGISTRY_FULL = 0x204, "more classes, or longer names, than fit"
    BAD_CLASS = 0x205, "no class of its kind has such sizes and references"
    UNKNOWN_CLASS = 0x206, "a stream has objects of a class that cannot be loaded here"
    # Sending.
    NO_PHASE = 0x207, "no shuffling phase is open"
    BAD_FORMAT = 0x208, "no heap has such a format"
    OUT_OF_STREAMS = 0x209, "too many streams at a time, or 65,535 in one phase"
    # Receiving.
    END = 0x20A, "no more objects, between two buffers: not an error"
    CUT = 0x20B, "the stream ends within a buffer"
    OTHER_LAYOUT = 0x20C, "the buffer's objects are laid out for another receiver"
    UPDATE_FAILED = 0x20D, "a registered update function returned false"
