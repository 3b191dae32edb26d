"""Writes the types.c of a driver (host/driver.h), which builds and prints the messages of a schema by calling every
generated accessor."""

from google.protobuf.descriptor import FieldDescriptor as Type

from heapwire.plugin.files import header_name
from heapwire.plugin.names import is_map, messages_of, real_oneofs
from heapwire.plugin.scalars import c_type

SET, CLEAR, MUTABLE, ADD, SET_AT, MUTABLE_AT, PUT, REMOVE, INSERT = range(9)

READ = {
    Type.CPPTYPE_INT32: "(int32_t)read_32()",
    Type.CPPTYPE_INT64: "(int64_t)read_64()",
    Type.CPPTYPE_UINT32: "read_32()",
    Type.CPPTYPE_UINT64: "read_64()",
    Type.CPPTYPE_BOOL: "read_32() != 0",
    Type.CPPTYPE_FLOAT: "hw_float(read_32())",
    Type.CPPTYPE_DOUBLE: "hw_double(read_64())",
}
PRINT = {
    Type.CPPTYPE_INT32: '"%d", {}',
    Type.CPPTYPE_INT64: '"%lld", (long long){}',
    Type.CPPTYPE_UINT32: '"%u", {}',
    Type.CPPTYPE_UINT64: '"%llu", (unsigned long long){}',
    Type.CPPTYPE_BOOL: '"%d", {}',
    Type.CPPTYPE_ENUM: '"%d", (int){}',
    Type.CPPTYPE_FLOAT: '"%u", hw_float_bits({})',
    Type.CPPTYPE_DOUBLE: '"%llu", (unsigned long long)hw_double_bits({})',
}


def is_bytes(item):
    return item.type in (Type.TYPE_STRING, Type.TYPE_BYTES)


def write(files, names):
    """Returns the text. files: descriptors. names: the names of each file, by file name. The types are in the order of
    `order`."""
    messages = order(files)
    of = {message.full_name: names[message.file.name] for message in messages}
    index = {message.full_name: i for i, message in enumerate(messages)}
    lines = ['#include "driver.h"', *(f'#include "{header_name(file)}"' for file in files)]
    for i in range(len(messages)):
        lines.append(f"static bool build_{i}(hw_handle object);\nstatic void print_{i}(hw_handle object, FILE *out);")
    for message in messages:
        lines += [_build(message, of[message.full_name], index), _print(message, of[message.full_name], index)]
        i, name = index[message.full_name], of[message.full_name].type(message)
        call = {f: of[message.full_name].function(message, f) for f in ("new", "from", "equals", "hash_code")}
        lines += [
            f"static hw_handle make_{i}(void) {{ return {call['new']}().handle; }}",
            f"static hw_handle from_{i}(hw_handle o) {{ return {call['from']}(o).handle; }}",
            f"static bool equals_{i}(hw_handle a, hw_handle b) {{ return {call['equals']}(({name}){{a}}, "
            f"({name}){{b}}); }}",
            f"static int32_t hash_{i}(hw_handle o) {{ return {call['hash_code']}(({name}){{o}}); }}",
        ]
    lines.append("const struct driver_type types[] = {")
    for i, message in enumerate(messages):
        info, known = (of[message.full_name].function(message, table) for table in ("info", "names"))
        lines.append(
            f'    {{"{message.full_name}", &{info}, &{known}, make_{i}, from_{i}, build_{i}, print_{i}, equals_{i}, '
            f"hash_{i}}},"
        )
    return "\n".join([*lines, "};", ""])


def called(names, verb, item, arguments, text=()):
    """Returns a call with these arguments. With `text`, which are those of C strings, of the function for C strings, if
    the strings that were read are some."""
    if not text:
        return f"{names.accessor(verb, item)}({', '.join(['m', *arguments])})"
    by_text = f"{names.accessor(verb, item)}({', '.join(['m', *text])})"
    return f"(are_texts() ? {by_text} : {names.accessor(verb + 'n', item)}({', '.join(['m', *arguments])}))"


def order(files):
    return [message for file in files for message in messages_of(file)]


def _map_commands(item, names, index):
    """Returns what `_commands` returns, for a map by its keys. The key is read before the value."""
    key, value = (item.message_type.fields_by_number[number] for number in (1, 2))
    read = "k = read_bytes()" if is_bytes(key) else f"n = (uint64_t){READ[key.cpp_type]}"
    wanted = ["k.data", "k.length"] if is_bytes(key) else [f"({c_type(names, key)})n"]
    wanted_text = ["c_text(k)"] if is_bytes(key) else wanted
    by_text = wanted_text if is_bytes(key) else []
    yield REMOVE, f"({read}, {called(names, 'remove', item, wanted, by_text)})"
    if value.message_type:
        put = called(names, "put", item, wanted, by_text)
        yield PUT, f"({read}, s = {put}.handle) && build_{index[value.message_type.full_name]}(s)"
    elif is_bytes(value):
        content = ["b.data", "b.length"]
        text = (
            [*wanted_text, "c_text(b)"] if value.type == Type.TYPE_STRING else [*by_text, *content] if by_text else []
        )
        yield PUT, f"({read}, b = read_bytes(), {called(names, 'put', item, [*wanted, *content], text)})"
    else:
        content = f"(enum {names.type(value.enum_type)})read_32()" if value.enum_type else READ[value.cpp_type]
        put = called(names, "put", item, [*wanted, "w"], [*by_text, "w"] if by_text else [])
        yield PUT, f"({{ {read}; {c_type(names, value)} w = {content}; {put}; }})"


def _commands(item, names, index):
    """Yields (command, expression that executes it). `m` is the message."""

    def call(verb, *arguments):
        return f"{names.accessor(verb, item)}({', '.join(['m', *arguments])})"

    if item.message_type:
        sub = index[item.message_type.full_name]
        make = names.function(item.message_type, "new")
        kind = names.type(item.message_type)
        if item.is_repeated:
            yield MUTABLE_AT, f"(s = {call('mutable', 'read_32()')}.handle) && build_{sub}(s)"
            yield ADD, f"(s = {call('add')}.handle) && build_{sub}(s)"
            if not is_map(item):
                yield INSERT, f"(s = {call('insert', 'read_32()')}.handle) && build_{sub}(s)"
        else:
            yield MUTABLE, f"(s = {call('mutable')}.handle) && build_{sub}(s)"
            yield SET, f"(s = {make}().handle) && build_{sub}(s) && {call('set', f'({kind}){{s}}')}"
    elif is_bytes(item):
        content, text = ["b.data", "b.length"], ["c_text(b)"] * (item.type == Type.TYPE_STRING)
        if item.is_repeated:
            for command, verb in ((SET_AT, "set"), (INSERT, "insert")):
                change = called(names, verb, item, ["i", *content], text and ["i", *text])
                yield command, f"(i = read_32(), b = read_bytes(), {change})"
            yield ADD, f"(b = read_bytes(), {called(names, 'add', item, content, text)})"
        else:
            yield SET, f"(b = read_bytes(), {called(names, 'set', item, content, text)})"
    else:
        value = f"(enum {names.type(item.enum_type)})read_32()" if item.enum_type else READ[item.cpp_type]
        if item.is_repeated:
            yield SET_AT, f"(i = read_32(), {call('set', 'i', value)})"
            yield INSERT, f"(i = read_32(), {call('insert', 'i', value)})"
            yield ADD, call("add", value)
        else:
            yield SET, call("set", value)
    if item.is_repeated and not is_map(item):
        yield REMOVE, call("remove", "read_32()")
    yield CLEAR, call("clear")


def _build(message, names, index):
    lines = [
        f"static bool build_{index[message.full_name]}(hw_handle object)",
        "{",
        f"    {names.type(message)} m = {{object}};",
        "    hw_handle s = NULL;",
        "    struct hw_bytes b = {0}, k = {0};",
        "    uint64_t n = 0;",
        "    uint32_t number, i = 0;",
        "    (void)s, (void)b, (void)i, (void)m, (void)k, (void)n;",
        "    while ((number = read_32()) != 0) {",
        "        HW_SCOPE;",
        "        bool done = false;",
        "        switch ((uint64_t)number << 4 | read_32()) {",
    ]
    for item in message.fields:
        commands = [*_commands(item, names, index), *(_map_commands(item, names, index) if is_map(item) else ())]
        for command, expression in commands:
            lines.append(f"        case {item.number << 4 | command}u: done = {expression}; break;")
    end = ["        }", "        if (!done) return false;", "    }", "    return true;", "}"]
    return "\n".join([*lines, *end])


def _print_value(item, expression, index):
    if item.message_type:
        shown = f"print_{index[item.message_type.full_name]}({expression}.handle, out)"
        return f"{{ hw_scope scope = hw_scope_open(); {shown}; hw_scope_close(scope); }}"
    if is_bytes(item):
        return f"print_bytes({expression}, out)"
    return f"fprintf(out, {PRINT[item.cpp_type].format(expression)})"


def _print_map(item, names, index):
    """Returns code that prints the size of a map and the result of lookup for each key that counts, in order."""
    key, value = (item.message_type.fields_by_number[number] for number in (1, 2))
    call = {verb: names.accessor(verb, item) for verb in ("size", "next", "count", "get")}
    got = f"{names.accessor('get', key)}({call['get']}(m, i))"
    wanted = "k.data, k.length" if is_bytes(key) else got
    n = "n" * is_bytes(key)
    shown = _print_value(value, f"{names.accessor('lookup' + n, item)}(m, {wanted})", index)
    at = f"uint32_t i = {call['next']}(m, 0); i < {call['count']}(m); i = {call['next']}(m, i + 1)"
    return [
        f'    fprintf(out, ",\\"{item.number} map\\":[%u,[", {call["size"]}(m));',
        f"    for ({at}) {{",
        "        hw_scope keys = hw_scope_open();",
        f"        struct hw_bytes k = {got};" if is_bytes(key) else "",
        f'        fprintf(out, "%s[%d,", i == {call["next"]}(m, 0) ? "" : ",",',
        f"                {names.accessor('contains' + n, item)}(m, {wanted}));",
        f"        {_print_value(key, 'k' if is_bytes(key) else got, index)};",
        f"        fputc(',', out); {shown}; fputc(']', out);",
        "        hw_scope_close(keys);",
        "    }",
        '    fprintf(out, "]]");',
    ]


def _print(message, names, index):
    lines = [
        f"static void print_{index[message.full_name]}(hw_handle object, FILE *out)",
        "{",
        f"    {names.type(message)} m = {{object}};",
        "    (void)m;",
        '    fprintf(out, "{\\"\\":0");',
    ]
    for item in message.fields:
        get = names.accessor("get", item)
        lines.append(f'    fprintf(out, ",\\"{item.number}\\":");')
        if item.is_repeated:
            value = _print_value(item, f"{get}(m, i)", index)
            lines.append(f"    PRINT_LIST({names.accessor('count', item)}(m), {value});")
            lines += _print_map(item, names, index) if is_map(item) else []
        elif item.message_type:
            shown = _print_value(item, f"{get}(m)", index)
            lines.append(f'    if ({names.accessor("has", item)}(m)) {shown} else fprintf(out, "null");')
        else:
            has = f"{names.accessor('has', item)}(m)" if item.has_presence else "-1"
            shown = _print_value(item, f"{get}(m)", index)
            lines.append(f"    fprintf(out, \"[%d,\", {has}); {shown}; fputc(']', out);")
    for oneof in real_oneofs(message):
        which = names.of[message.full_name, "oneof", oneof.name]
        lines.append(f'    fprintf(out, ",\\"{oneof.name}\\":%d", (int){which}(m));')
    call = {name: names.function(message, name) for name in ("is_initialized", "unknown_fields")}
    lines += [
        f'    fprintf(out, ",\\"?init\\":%d,\\"?unknown\\":", {call["is_initialized"]}(m));',
        f"    print_bytes({call['unknown_fields']}(m), out);",
    ]
    return "\n".join([*lines, "    fputc('}', out);", "}"])
