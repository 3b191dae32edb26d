"""Writes the headers of services (docs/howto/rpc.md): the program's functions, the functions by which it sends, and the
tables by which the server finds them. A file with services has two headers: one of managed messages, one of nanopb's
structs."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template
from typing import Iterator

from google.protobuf.descriptor import Descriptor, FileDescriptor, MethodDescriptor, ServiceDescriptor

from heapwire.plugin.files import comment, header_name
from heapwire.plugin.names import Names

MANAGED, NANOPB = ".rpc.h", ".rpc_nanopb.h"
"""Ends of the names of the headers."""

_SIDES = ("request", "response")
_KINDS = ("UNARY", "SERVER_STREAM", "CLIENT_STREAM", "BIDIRECTIONAL")
"""By whether the server (1) and the client (2) send streams."""
_ENDS = ("", "_writer", "_open", "_end", "_cancelled", "_write", "_finish", "_on_open", "_on_message", "_on_end")
_ENDS += ("_on_cancelled", "_request", "_response")
"""Ends of the names that a method takes."""

_UNARY = """
/* Fills in the response. Its status ends the call. */
enum hw_rpc_status $M($request, $response);

static inline enum hw_rpc_status ${M}_on_message(struct hw_rpc_writer writer, void *request, void *response)
{
    (void)writer;$cleared
    return $M($the_request, $the_response);
}
"""
_WRITER = """
typedef struct { struct hw_rpc_writer any; } ${M}_writer;
"""
_MESSAGE = """
/* $what */
enum hw_rpc_status $M(${M}_writer writer, $request);

static inline enum hw_rpc_status ${M}_on_message(struct hw_rpc_writer writer, void *request, void *response)
{
    (void)response;
    return $M((${M}_writer){writer}, $the_request);
}
"""
_EVENT = """
/* $what */
enum hw_rpc_status ${M}_$event(${M}_writer writer$more)$weak;

static inline enum hw_rpc_status ${M}_on_$event(struct hw_rpc_writer writer, void *request, void *response)
{
    (void)request, (void)response;$cleared
    return $guard${M}_$event((${M}_writer){writer}$the_more)$otherwise;
}
"""
_CANCELLED = """
/* The client, or an error, ends the call behind this function. It may be left out. */
void ${M}_cancelled(${M}_writer writer) __attribute__((weak));

static inline enum hw_rpc_status ${M}_on_cancelled(struct hw_rpc_writer writer, void *request, void *response)
{
    (void)request, (void)response;
    if (${M}_cancelled) ${M}_cancelled((${M}_writer){writer});
    return HW_RPC_OPEN;
}
"""
_SEND = """
/* Sends a message to the client. Returns false if the call has ended. */
static inline bool ${M}_write(${M}_writer writer, $sent)
{
    return hw_rpc_write(writer.any, $the_sent);
}

/* Ends the call. */
static inline bool ${M}_finish(${M}_writer writer, enum hw_rpc_status status)
{
    return hw_rpc_finish(writer.any, status, NULL);
}
"""
_RESPOND = """
/* Ends the call with its response, for a program that has not done so in ${M}_end. */
static inline bool ${M}_finish(${M}_writer writer, $sent, enum hw_rpc_status status)
{
    return hw_rpc_finish(writer.any, status, $the_sent);
}
"""


def identifier(name: str) -> int:
    """Returns the number by which pw_rpc calls a service (its full name) or a method (its own name): a polynomial of
    the characters, modulo 2^32, to which the length is added."""
    return (len(name) + sum(ord(each) * pow(65599, at, 1 << 32) for at, each in enumerate(name, 1))) % (1 << 32)


class _Managed:
    """Managed messages: structs around a handle."""

    end, includes, model = MANAGED, ("rpc/rpc.h",), "hw_rpc_managed"

    def __init__(self, names: Names) -> None:
        self.names = names

    def header(self, file: FileDescriptor) -> str:
        return header_name(file)

    def type(self, message: Descriptor) -> str:
        return self.names.type(message)

    def request(self, message: Descriptor) -> tuple[str, str]:
        """Returns the parameter, and the argument that a `void *request` becomes."""
        return f"{self.type(message)} request", f"({self.type(message)}){{request}}"

    def response(self, message: Descriptor) -> tuple[str, str, str]:
        """Returns the same of a response, and the statement before that."""
        return f"{self.type(message)} response", f"({self.type(message)}){{response}}", ""

    def sent(self, message: Descriptor) -> tuple[str, str]:
        """Returns the parameter of a message to send, and what it is to the server."""
        return f"{self.type(message)} message", "message.handle"

    def places(self, service: str, methods: list[MethodDescriptor]) -> list[str]:
        return []

    def reference(self, message: Descriptor, method: str, side: str) -> str:
        return f"&{self.names.function(message, 'info')}"


class _Nanopb:
    """nanopb's structs. Those of a service's requests share a place, and so do those of its responses."""

    end, includes, model = NANOPB, ("rpc/nanopb/model.h",), "hw_rpc_nanopb"

    def __init__(self, names: Names) -> None:
        self.names = names

    def header(self, file: FileDescriptor) -> str:
        return file.name.removesuffix(".proto") + ".pb.h"

    def type(self, message: Descriptor) -> str:
        return message.full_name.replace(".", "_")

    def request(self, message: Descriptor) -> tuple[str, str]:
        return f"const {self.type(message)} *request", "request"

    def response(self, message: Descriptor) -> tuple[str, str, str]:
        kind = self.type(message)
        return f"{kind} *response", "response", f"\n    *({kind} *)response = ({kind}){kind}_init_default;"

    def sent(self, message: Descriptor) -> tuple[str, str]:
        return f"{self.type(message)} *message", "message"

    def places(self, service: str, methods: list[MethodDescriptor]) -> list[str]:
        lines = []
        for side in _SIDES:
            kinds = sorted({self.type(_message(method, side)) for method in methods})
            members = [f"    {kind} as_{index};" for index, kind in enumerate(kinds)]
            lines += [f"static union {{\n{chr(10).join(members)}\n}} {service}_{side}s;"] if members else []
            lines += [
                f"static const struct hw_rpc_nanopb_type {_method(self.names, method)}_{side} = "
                f"{{{self.type(_message(method, side))}_fields, &{service}_{side}s}};"
                for method in methods
            ]
        return [*lines, ""]

    def reference(self, message: Descriptor, method: str, side: str) -> str:
        return f"&{method}_{side}"


def _message(method: MethodDescriptor, side: str) -> Descriptor:
    return method.input_type if side == "request" else method.output_type


def message_files(file: FileDescriptor) -> list[FileDescriptor]:
    """Returns the files of the messages that a file's services take and give."""
    methods = [method for service in file.services_by_name.values() for method in service.methods]
    return list(
        {_message(each, side).file.name: _message(each, side).file for each in methods for side in _SIDES}.values()
    )


def _method(names: Names, method: MethodDescriptor) -> str:
    return names.of[method.full_name, "method"]


def _service(names: Names, service: ServiceDescriptor) -> str:
    return names.of[service.full_name, "service"]


def _take_names(file: FileDescriptor, names: Names) -> None:
    for service in file.services_by_name.values():
        wanted = service.full_name.replace(".", "_")
        names.of[service.full_name, "service"] = names.take(wanted, service.full_name)
        for method in service.methods:
            base = f"{_service(names, service)}_{method.name}"
            while any(f"{base}{end}" in names.owner for end in _ENDS):
                base += "_"
            names.owner |= {f"{base}{end}": f"functions of {method.full_name}" for end in _ENDS}
            names.of[method.full_name, "method"] = base


@dataclass(frozen=True)
class _Event:
    """What a handler beside that of a message is called for. otherwise: what happens without it; empty: it must be
    there."""

    name: str
    what: str
    otherwise: str = ""


def _events(method: MethodDescriptor) -> Iterator[_Event]:
    if method.client_streaming:
        yield _Event("open", "A call begins. This function may be left out.", "HW_RPC_OPEN")
        yield _Event("end", "The client has sent its last message.")
    elif method.server_streaming:
        yield _Event("end", "The client wants no more. Without this function the call ends with OK.", "HW_RPC_OK")


def _functions(method: MethodDescriptor, names: Names, model: _Managed | _Nanopb) -> str:
    request, the_request = model.request(method.input_type)
    response, the_response, cleared = model.response(method.output_type)
    sent, the_sent = model.sent(method.output_type)
    values = {"M": _method(names, method), "request": request, "the_request": the_request}
    values |= {"response": response, "the_response": the_response, "sent": sent, "the_sent": the_sent}

    def written(template: str, **more: str) -> str:
        return Template(template).substitute(values | more)

    stream = {False: "", True: "stream "}
    parts = [
        f"/* rpc {method.name}({stream[method.client_streaming]}{method.input_type.full_name}) returns "
        f"({stream[method.server_streaming]}{method.output_type.full_name}) */"
    ]
    if not method.client_streaming and not method.server_streaming:
        return "\n".join([*parts, written(_UNARY, cleared=cleared).strip(), ""])
    each = "Takes a message of the client's stream." if method.client_streaming else "Takes the request."
    parts += [
        written(_WRITER).strip() + "\n",
        written(_SEND if method.server_streaming else _RESPOND).strip() + "\n",
        written(_MESSAGE, what=each).strip() + "\n",
    ]
    for event in _events(method):
        responds = event.name == "end" and not method.server_streaming
        more = {"more": f", {response}", "the_more": f", {the_response}", "cleared": cleared}
        optional = event.otherwise
        values_of = {"what": event.what, "event": event.name}
        values_of |= {"guard": f"{values['M']}_{event.name} ? " if optional else ""}
        values_of |= {"otherwise": f" : {optional}" if optional else ""}
        values_of |= {"weak": " __attribute__((weak))" if optional else ""}
        parts.append(written(_EVENT, **values_of, **(more if responds else dict.fromkeys(more, ""))).strip() + "\n")
    return "\n".join([*parts, written(_CANCELLED).strip() + "\n"])


def _table(service: ServiceDescriptor, names: Names, model: _Managed | _Nanopb) -> str:
    own, lines = _service(names, service), []
    for method in service.methods:
        name = _method(names, method)
        handlers = {"message": f"{name}_on_message"} | {
            event.name: f"{name}_on_{event.name}" for event in _events(method)
        }
        if method.client_streaming or method.server_streaming:
            handlers["cancelled"] = f"{name}_on_cancelled"
        lines += [
            "    {",
            f"        .id = {identifier(method.name):#010x}, /* {method.name} */",
            f"        .kind = HW_RPC_{_KINDS[method.server_streaming + 2 * method.client_streaming]},",
            *(f"        .{side} = {model.reference(_message(method, side), name, side)}," for side in _SIDES),
            *(f"        .{event} = {function}," for event, function in handlers.items()),
            "    },",
        ]
    methods = f"{own}_methods" if lines else "NULL"
    return "\n".join(
        [
            *([f"static const struct hw_rpc_method {methods}[] = {{", *lines, "};"] if lines else []),
            f"/* {service.full_name} */",
            f"static const struct hw_rpc_service {own} = {{",
            f"    {identifier(service.full_name):#010x}, &{model.model}, {methods}, {len(service.methods)},",
            "};",
            "",
        ]
    )


def _header(file: FileDescriptor, names: Names, model: _Managed | _Nanopb) -> str:
    services = list(file.services_by_name.values())
    methods = [method for service in services for method in service.methods]
    used = {each.name: each for each in [file, *message_files(file)]}
    guard = names.guard.removesuffix("HEAPWIRE_H") + model.end[1:].replace(".", "_").upper()
    return "\n".join(
        [
            f"/* Generated by protoc-gen-heapwire from {comment(file.name)}: change that and generate again.",
            " * The program defines the functions that are only declared here: docs/howto/rpc.md. */",
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            *(f'#include "{name}"' for name in model.includes),
            *(f'#include "{model.header(used[name])}"' for name in sorted(used)),
            "",
            *(_functions(method, names, model) for method in methods),
            *(
                "\n".join([*model.places(_service(names, service), service.methods), _table(service, names, model)])
                for service in services
            ),
            "#endif",
            "",
        ]
    )


def write_headers(file: FileDescriptor, names: Names) -> dict[str, str]:
    """Returns the content of the headers of a file's services by their paths; none if it has no service."""
    if not file.services_by_name:
        return {}
    _take_names(file, names)
    base = file.name.removesuffix(".proto")
    return {f"{base}{model.end}": _header(file, names, model) for model in (_Managed(names), _Nanopb(names))}
