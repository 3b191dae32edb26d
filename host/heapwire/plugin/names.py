"""C identifiers for the names of a .proto file.

An identifier is the full name with underscores for dots. Functions and enumerators append to the identifier of their
type. An identifier that is taken, or that C or the runtime may use, gets underscores at its end. The names of a file's
imports come first, then the file's own names in the order of declaration. So every file that sees a name finds the same
identifier for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto

from base.errors import HeapwireError

#: Keywords and library names that begin with an upper-case letter. Lower-case names without a package never stay bare.
_RESERVED = frozenset(
    """
_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
NULL EOF FILE BUFSIZ DIR EXIT_SUCCESS EXIT_FAILURE RAND_MAX FILENAME_MAX FOPEN_MAX TMP_MAX L_tmpnam SEEK_CUR SEEK_END
SEEK_SET
EDOM ERANGE EILSEQ HUGE_VAL HUGE_VALF HUGE_VALL INFINITY NAN I CLOCKS_PER_SEC TIME_UTC NDEBUG CHAR_BIT MB_LEN_MAX
CHAR_MIN
CHAR_MAX SCHAR_MIN SCHAR_MAX UCHAR_MAX SHRT_MIN SHRT_MAX USHRT_MAX INT_MIN INT_MAX UINT_MAX LONG_MIN LONG_MAX ULONG_MAX
LLONG_MIN LLONG_MAX ULLONG_MAX SIZE_MAX PTRDIFF_MIN PTRDIFF_MAX WCHAR_MIN WCHAR_MAX
""".split()
)

#: Limits and macros of <stdint.h>.
_LIMIT = re.compile(r"U?INT(_LEAST|_FAST)?(8|16|32|64|MAX|PTR)_(MAX|MIN|C)|(SIG_ATOMIC|WINT)_(MAX|MIN)")

#: Types of the C library and names of the runtime. An underscore at the end makes a name differ from them.
_TYPE = re.compile(r"\w*_t|(hw|HW)_\w*(?<!_)")

_TYPE_FUNCTIONS = (
    "info names fields new from read write read_next write_delimited equals hash_code is_initialized clear merge clone "
    "text unknown_fields set_unknown_fields same hash"
).split()
_ENUM_FUNCTIONS = "info name parse".split()
_VERBS = "get set setn has clear mutable add addn insert insertn remove count".split()
_MAP_VERBS = "lookup lookupn put putn contains containsn removen next size".split()


class NameClash(HeapwireError):
    """Two names that cannot both get an identifier."""


def _claimed(name: str) -> bool:
    """Returns whether C may already use an identifier."""
    return name in _RESERVED or _LIMIT.fullmatch(name) is not None


@dataclass
class Names:
    """The identifiers of one file and of all its imports.

    owner: what an identifier stands for, by identifier. of: identifiers by key. The key of a type or field (the part
    behind the verb) is its full name. A type's functions have (full name of the type, "function", name), enumerators
    (full name of the type, name), a oneof has (full name of the type, "oneof", its name, ...). guard: the include
    guard of the header."""

    owner: dict[str, str] = field(default_factory=dict)
    of: dict[object, str] = field(default_factory=dict)
    guard: str = ""

    def take(self, wanted: str, owner: str) -> str:
        """Reserves and returns the identifier `wanted`, with underscores appended while it is taken."""
        while wanted in self.owner or _claimed(wanted):
            wanted += "_"
        self.owner[wanted] = owner
        return wanted

    def take_type(self, descriptor: Descriptor | EnumDescriptor) -> None:
        """Finds the identifier of a type. A name without a package that begins with a lower-case letter gets an
        underscore, to differ from all keywords and functions of C."""
        wanted = descriptor.full_name.replace(".", "_")
        if _TYPE.fullmatch(wanted) or not (descriptor.file.package or wanted[0].isupper()):
            wanted += "_"
        self.of[descriptor.full_name] = self.take(wanted, descriptor.full_name)

    def merge(self, other: Names, file: str) -> None:
        """Adds the names of an import.

        Raises NameClash if two imports use one identifier for different things."""
        for name, owner in other.owner.items():
            known = self.owner.setdefault(name, owner)
            if known != owner:
                raise clash(name, known, owner, f"{file} needs both")
        self.of.update(other.of)

    def type(self, descriptor: Descriptor | EnumDescriptor) -> str:
        """Returns the identifier of a message or enum type."""
        return self.of[descriptor.full_name]

    def function(self, descriptor: Descriptor | EnumDescriptor, name: str) -> str:
        """Returns the identifier of a type's own function, such as new or equals, or of a table, such as info."""
        return self.of[descriptor.full_name, "function", name]

    def accessor(self, verb: str, item: FieldDescriptor) -> str:
        """Returns the identifier of a field's accessor."""
        return f"{self.type(item.containing_type)}_{verb}_{self.of[item.full_name]}"


def clash(name: str, one: str, other: str, why: str) -> NameClash:
    """Returns the error of an identifier that two files use."""
    return NameClash(
        f"{one} and {other} both become the C identifier {name}, and {why}: rename one of them, "
        "or let one of the two files import the other, so that the plugin sees both and renames the later one"
    )


def _walk(messages: list[Descriptor]):
    for message in messages:
        yield message
        yield from _walk(list(message.nested_types))


def messages_of(file: FileDescriptor) -> list[Descriptor]:
    """Returns all message types of a file. Nested types come after the types around them."""
    return list(_walk(list(file.message_types_by_name.values())))


def enums_of(file: FileDescriptor) -> list[EnumDescriptor]:
    """Returns all enum types of a file."""
    return [*file.enum_types_by_name.values(), *(e for message in messages_of(file) for e in message.enum_types)]


def real_oneofs(message: Descriptor) -> list:
    """Returns the oneofs that the schema's author wrote, without the synthetic ones of proto3's `optional`."""
    proto = DescriptorProto()
    message.CopyToProto(proto)
    synthetic = {item.oneof_index for item in proto.field if item.proto3_optional}
    return [oneof for oneof in message.oneofs if oneof.index not in synthetic]


def is_map(item: FieldDescriptor) -> bool:
    """Returns whether a field is a map."""
    return item.message_type is not None and item.message_type.GetOptions().map_entry


def file_names(file: FileDescriptor, known: dict[str, Names]) -> Names:
    """Returns the names of a file. `known` holds those of the files already visited, by file name."""
    if file.name in known:
        return known[file.name]
    names = Names()
    for dependency in file.dependencies:
        names.merge(file_names(dependency, known), file.name)
    names.guard = names.take(
        re.sub(r"[^A-Z0-9]", "_", file.name.removesuffix(".proto").upper()).lstrip("_0123456789") + "_HEAPWIRE_H",
        f"the header of {file.name}",
    )
    messages, enums = messages_of(file), enums_of(file)
    for item in [*messages, *enums]:
        names.take_type(item)
    for enum in enums:
        for value in enum.values:
            names.of[enum.full_name, value.name] = names.take(
                f"{names.type(enum)}_{value.name}", f"{enum.full_name}.{value.name}"
            )
        for function in _ENUM_FUNCTIONS:
            names.of[enum.full_name, "function", function] = names.take(
                f"{names.type(enum)}_{function}", f"function {function} of {enum.full_name}"
            )
    for message in messages:
        _take_functions(message, names)
    known[file.name] = names
    return names


def _take_functions(message: Descriptor, names: Names) -> None:
    prefix = names.type(message)
    for function in _TYPE_FUNCTIONS:
        names.of[message.full_name, "function", function] = names.take(
            f"{prefix}_{function}", f"function {function} of {message.full_name}"
        )
    for item in message.fields:
        name, verbs = item.name, _VERBS + _MAP_VERBS * is_map(item)
        while any(f"{prefix}_{verb}_{name}" in names.owner or _claimed(f"{prefix}_{verb}_{name}") for verb in verbs):
            name += "_"
        for verb in verbs:
            names.owner[f"{prefix}_{verb}_{name}"] = f"accessors of {item.full_name}"
        names.of[item.full_name] = name
    for oneof in real_oneofs(message):
        key = (message.full_name, "oneof", oneof.name)
        names.of[key] = names.take(f"{prefix}_which_{oneof.name}", f"oneof {oneof.full_name}")
        names.of[*key, "type"] = names.take(f"{prefix}_{oneof.name}_case", f"cases of oneof {oneof.full_name}")
        names.of[*key, None] = names.take(f"{prefix}_{oneof.name}_NOT_SET", f"cases of oneof {oneof.full_name}")
        for item in oneof.fields:
            names.of[*key, item.number] = names.take(f"{prefix}_{oneof.name}_{item.name}", f"case {item.full_name}")
