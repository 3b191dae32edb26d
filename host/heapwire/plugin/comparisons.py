"""Writes the functions that compare two objects of a type and make its hash code, for each type of a file
(firmware/runtime/accessors/compare.h). They know where the slots are: numbers are compared by words, all at once, and a
call compares a string, a list or a message."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor import FieldDescriptor as Type

from heapwire.plugin.accessors import Laid
from heapwire.plugin.names import Names, is_map
from heapwire.schema.types import Field

AT_ONCE = 8
"""Words that are compared before their differences are looked at."""
_WORD = 0xFFFFFFFF
_REALS = {"FLOAT": "hw_floats_same", "DOUBLE": "hw_doubles_same"}
_HASHES = {"BOOL": "hw_hash_bool", "FLOAT": "hw_hash_float", "DOUBLE": "hw_hash_double"}


def comparisons(messages: list[Descriptor], names: Names, laid: dict[str, Laid]) -> list[str]:
    """Returns the functions of the types of a file. laid: layouts by full name."""
    if not messages:
        return []
    words = max(laid[message.full_name].layout.size for message in messages) // 8
    entries = [message for message in messages if message.GetOptions().map_entry]
    return [
        "\n/* Stands for a message that is not there. */",
        f"static const uint64_t absent[{words}];\n",
        *(_Comparison(message, names, laid[message.full_name]).of_entry() for message in entries),
        *(_Comparison(message, names, laid[message.full_name]).of_message() for message in messages),
    ]


@dataclass(frozen=True)
class _Comparison:
    message: Descriptor
    names: Names
    laid: Laid

    def of_entry(self) -> str:
        """Returns the functions of an entry of a map. Whether its parts have presence does not count."""
        parts = [*self._numbers(self.laid.message.fields, {}), *self._others(self.laid.message.fields, "levels - 1")]
        hashes = " ^ ".join(self._hash_of(field) for field in self.laid.message.fields)
        return _function(
            f"static {_same(_entry(self.names, self.message, 'same'))}",
            ["if (!a) a = absent;", "if (!b) b = absent;", "(void)levels;", *parts, "return true;"],
        ) + _function(
            f"static uint32_t {_entry(self.names, self.message, 'hash')}(const void *a, struct hw_hash_walk *walk)",
            ["if (!a) a = absent;", "(void)walk;", f"return {hashes};"],
        )

    def of_message(self) -> str:
        fields, layout = self.laid.message.fields, self.laid.layout
        alone = [field for field in fields if field.oneof is None]
        parts = [*self._numbers(alone, self._presence()), *self._others(alone, "levels")]
        for number, case in enumerate(layout.cases):
            parts += self._oneof(case, [field for field in fields if field.oneof == number])
        unknown = layout.unknown_fields
        same = f"hw_differ(a, b, {unknown}) == 0 || hw_unknown_same(hw_word(a, {unknown}), hw_word(b, {unknown}))"
        return _function(
            _same(self.names.function(self.message, "same")),
            [
                "if (levels-- == 0) return hw_too_deep();",
                "if (!a) a = absent;",
                "if (!b) b = absent;",
                *parts,
                f"return {same};",
            ],
        ) + _function(
            f"uint32_t {self.names.function(self.message, 'hash')}(const void *a, struct hw_hash_walk *walk)",
            [
                "uint32_t hash = 41;",
                "if (!hw_hash_enter(walk)) return 0;",
                "if (!a) a = absent;",
                *map(self._add_hash, fields),
                f"return hw_hash_leave(walk, 29 * hash + hw_hash_unknown(hw_word(a, {unknown})));",
            ],
        )

    def _item(self, field: Field) -> Type:
        return self.message.fields_by_number[field.number]

    def _offset(self, field: Field) -> int:
        return self.laid.layout.fields[field.number]

    def _presence(self) -> dict[int, int]:
        """Returns masks of hasbits by the offset of their word: of fields with presence but for members of oneofs."""
        masks: dict[int, int] = {}
        for field in self.laid.message.fields:
            if self._item(field).has_presence and field.oneof is None:
                word = self.laid.layout.hasbits + field.hasbit // 32 * 4
                masks[word] = masks.get(word, 0) | 1 << field.hasbit % 32
        return masks

    def _numbers(self, fields: tuple[Field, ...] | list[Field], masks: dict[int, int]) -> list[str]:
        """Returns the statements that compare the words of numbers without a point, and cases of oneofs."""
        words = dict(masks) | dict.fromkeys(self.laid.layout.cases, _WORD)
        for field in fields:
            if not field.is_reference and field.type.name not in _REALS:
                for at, mask in self._words_of(field).items():
                    words[at] = words.get(at, 0) | mask
        terms = [_differ(at, mask) for at, mask in sorted(words.items())]
        groups = [terms[at : at + AT_ONCE] for at in range(0, len(terms), AT_ONCE)]
        return [f"if ({' | '.join(group)}) return false;" for group in groups]

    def _others(self, fields: tuple[Field, ...] | list[Field], levels: str) -> list[str]:
        """Returns the statements that compare numbers with a point and references."""
        return [
            f"if (!({self._same(field, levels)})) return false;"
            for field in sorted(fields, key=lambda field: field.is_reference)
            if field.is_reference or field.type.name in _REALS
        ]

    def _same(self, field: Field, levels: str) -> str:
        """Returns the expression that compares a field which both objects have."""
        item, at, kind = self._item(field), self._offset(field), field.type.name
        both = f"hw_word(a, {at}), hw_word(b, {at})"
        there = f"(hw_word(a, {at}) | hw_word(b, {at})) == 0 ||"
        if is_map(item):
            info = self.names.function(item.message_type, "info")
            return f"{there} hw_maps_same({both}, {_entry(self.names, item.message_type, 'same')}, &{info}, {levels})"
        if item.message_type:
            same = self.names.function(item.message_type, "same")
            if item.is_repeated:
                return f"{there} hw_lists_of_messages_same({both}, {same}, {levels})"
            return f"{there} {same}(hw_pointer(hw_word(a, {at})), hw_pointer(hw_word(b, {at})), {levels})"
        if item.is_repeated and kind in _REALS:
            return f"{there} hw_lists_of_reals_same({both}, HW_TYPE_{kind})"
        if item.is_repeated:
            of_strings, shift = field.type.is_reference, field.type.size.bit_length() - 1
            return f"{there} " + (
                f"hw_lists_of_strings_same({both})" if of_strings else f"hw_lists_same({both}, {shift})"
            )
        if field.type.is_reference:
            return f"hw_strings_same({both})"
        return f"{_REALS[kind]}(a, b, {at})"

    def _oneof(self, case: int, members: list[Field]) -> list[str]:
        """Returns the statement that compares the member that is set. The cases are equal."""
        lines = []
        for field in members:
            same = f"({' | '.join(_differ(at, mask) for at, mask in self._words_of(field).items())}) == 0"
            if field.is_reference or field.type.name in _REALS:
                same = self._same(field, "levels")
            lines += [f"case {field.number}:", f"    if (!({same})) return false;", "    break;"]
        return [f"switch (hw_word(a, {case})) {{", *lines, "}"]

    def _words_of(self, field: Field) -> dict[int, int]:
        """Returns masks of the bits that a number has, by the offset of the word."""
        at = self._offset(field)
        if field.type.size == 1:
            return {at & ~3: 0xFF << at % 4 * 8}
        return dict.fromkeys(range(at, at + field.type.size, 4), _WORD)

    def _add_hash(self, field: Field) -> str:
        item, at, layout = self._item(field), self._offset(field), self.laid.layout
        has = ""
        if item.is_repeated:
            has = f"if (hw_count_of(hw_word(a, {at})) != 0) "
        elif field.oneof is not None:
            has = f"if (hw_word(a, {layout.cases[field.oneof]}) == {field.number}) "
        elif item.has_presence:
            has = f"if (hw_word(a, {layout.hasbits + field.hasbit // 32 * 4}) & {1 << field.hasbit % 32:#x}u) "
        return f"{has}hash = hw_hash_field(hash, {field.number}, {self._hash_of(field)});"

    def _hash_of(self, field: Field) -> str:
        item, at, kind = self._item(field), self._offset(field), field.type.name
        word, slot = f"hw_word(a, {at})", f"(const char *)a + {at}"
        if is_map(item):
            info = self.names.function(item.message_type, "info")
            return f"hw_hash_map({word}, {_entry(self.names, item.message_type, 'hash')}, &{info}, walk)"
        if item.message_type:
            hash_of = self.names.function(item.message_type, "hash")
            if item.is_repeated:
                return f"hw_hash_messages({word}, {hash_of}, walk)"
            return f"{hash_of}(hw_pointer({word}), walk)"
        if item.is_repeated:
            return f"hw_hash_list({word}, HW_TYPE_{kind})"
        if field.type.is_reference:
            return f"hw_hash_string({word})"
        if kind in _HASHES or field.type.size == 8:
            return f"{_HASHES.get(kind, 'hw_hash_64')}({slot})"
        return word


def _differ(at: int, mask: int) -> str:
    differ = f"hw_differ(a, b, {at})"
    return differ if mask == _WORD else f"({differ} & {mask:#x}u)"


def _entry(names: Names, entry: Descriptor, what: str) -> str:
    """Returns the name of a function of a map's entries."""
    return f"entry_{names.function(entry, what)}"


def _same(name: str) -> str:
    return f"OFTEN bool {name}(const void *a, const void *b, uint32_t levels)"


def _function(head: str, statements: list[str]) -> str:
    return "\n".join([head, "{", *(f"    {line}" for line in statements), "}", ""])
