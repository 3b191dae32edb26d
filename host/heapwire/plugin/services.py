"""Writes the headers of services (docs/howto/rpc.md): the program's functions, the functions by which it sends, and the
tables by which the server finds them. A file with services has two headers: one of managed messages, one of nanopb's
structs."""

from __future__ import annotations

from dataclasses import dataclass
from string import Template
from typing import Iterator

from google.protobuf.descriptor import FileDescriptor, MethodDescriptor, ServiceDescriptor

from heapwire.plugin.files import comment
from heapwire.plugin.names import Names
from heapwire.plugin.service_models import SIDES, Managed, Nanopb, message_of, method_name

_KINDS = ("UNARY", "SERVER_STREAM", "CLIENT_STREAM", "BIDIRECTIONAL")
"""By whether the server (1) and the client (2) send streams."""
_ENDS = ("", "_writer", "_open", "_end", "_cancelled", "_write", "_finish", "_on_open", "_on_message", "_on_end")
_ENDS += ("_on_cancelled", "_request", "_response")
"""Ends of the names that a method takes."""

_UNARY = """
/* Fills in the response$other. The status ends the call. */
enum hw_rpc_status $M($request, $response);

static inline enum hw_rpc_status ${M}_on_message(struct hw_rpc_writer writer, void *request, void **response)
{
    (void)writer;
    $before
    enum hw_rpc_status status = $M($the_request, $the_response);
$behind
    return status;
}
"""
_WRITER = """
typedef struct { struct hw_rpc_writer any; } ${M}_writer;
"""
_MESSAGE = """
/* $what */
enum hw_rpc_status $M(${M}_writer writer, $request);

static inline enum hw_rpc_status ${M}_on_message(struct hw_rpc_writer writer, void *request, void **response)
{
    (void)response;
    return $M((${M}_writer){writer}, $the_request);
}
"""
_EVENT = """
/* $what */
enum hw_rpc_status ${M}_$event(${M}_writer writer)$weak;

static inline enum hw_rpc_status ${M}_on_$event(struct hw_rpc_writer writer, void *request, void **response)
{
    (void)request, (void)response;
    return $guard${M}_$event((${M}_writer){writer})$otherwise;
}
"""
_LAST = """
/* The client has sent its last message: fills in the response$other. */
enum hw_rpc_status ${M}_end(${M}_writer writer, $response);

static inline enum hw_rpc_status ${M}_on_end(struct hw_rpc_writer writer, void *request, void **response)
{
    (void)request;
    $before
    enum hw_rpc_status status = ${M}_end((${M}_writer){writer}, $the_response);
$behind
    return status;
}
"""
_CANCELLED = """
/* The client, or an error, ends the call behind this function. It may be left out. */
void ${M}_cancelled(${M}_writer writer) __attribute__((weak));

static inline enum hw_rpc_status ${M}_on_cancelled(struct hw_rpc_writer writer, void *request, void **response)
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


def message_files(file: FileDescriptor) -> list[FileDescriptor]:
    """Returns the files of the messages that a file's services take and give."""
    methods = [method for service in file.services_by_name.values() for method in service.methods]
    return list(
        {message_of(each, side).file.name: message_of(each, side).file for each in methods for side in SIDES}.values()
    )


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


def _functions(method: MethodDescriptor, names: Names, model: Managed | Nanopb) -> str:
    request, the_request = model.request(method.input_type)
    sent, the_sent = model.sent(method.output_type)
    values = {"M": method_name(names, method), "request": request, "the_request": the_request}
    values |= {"sent": sent, "the_sent": the_sent} | model.response(method.output_type)

    def written(template: str, **more: str) -> str:
        return Template(template).substitute(values | more)

    stream = {False: "", True: "stream "}
    parts = [
        f"/* rpc {method.name}({stream[method.client_streaming]}{method.input_type.full_name}) returns "
        f"({stream[method.server_streaming]}{method.output_type.full_name}) */"
    ]
    if not method.client_streaming and not method.server_streaming:
        return "\n".join([*parts, written(_UNARY).strip(), ""])
    each = "Takes a message of the client's stream." if method.client_streaming else "Takes the request."
    parts += [
        written(_WRITER).strip() + "\n",
        written(_SEND if method.server_streaming else _RESPOND).strip() + "\n",
        written(_MESSAGE, what=each).strip() + "\n",
    ]
    for event in _events(method):
        optional = event.otherwise
        guards = {
            "guard": f"{values['M']}_{event.name} ? " if optional else "",
            "otherwise": f" : {optional}" if optional else "",
            "weak": " __attribute__((weak))" if optional else "",
        }
        last = event.name == "end" and not method.server_streaming
        parts.append(written(_LAST if last else _EVENT, what=event.what, event=event.name, **guards).strip() + "\n")
    return "\n".join([*parts, written(_CANCELLED).strip() + "\n"])


def _table(service: ServiceDescriptor, names: Names, model: Managed | Nanopb) -> str:
    own, lines = _service(names, service), []
    for method in service.methods:
        name = method_name(names, method)
        handlers = {"message": f"{name}_on_message"} | {
            event.name: f"{name}_on_{event.name}" for event in _events(method)
        }
        if method.client_streaming or method.server_streaming:
            handlers["cancelled"] = f"{name}_on_cancelled"
        lines += [
            "    {",
            f"        .id = {identifier(method.name):#010x}, /* {method.name} */",
            f"        .kind = HW_RPC_{_KINDS[method.server_streaming + 2 * method.client_streaming]},",
            *(f"        .{side} = {model.reference(message_of(method, side), name, side)}," for side in SIDES),
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


def _header(file: FileDescriptor, names: Names, model: Managed | Nanopb) -> str:
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
    return {f"{base}{model.end}": _header(file, names, model) for model in (Managed(names), Nanopb(names))}
