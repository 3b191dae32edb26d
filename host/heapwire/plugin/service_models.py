"""How services hold messages: as managed objects, or as nanopb's structs. What `services` writes differs in that."""

from __future__ import annotations

from google.protobuf.descriptor import Descriptor, FileDescriptor, MethodDescriptor

from heapwire.plugin.files import header_name
from heapwire.plugin.names import Names

MANAGED, NANOPB = ".rpc.h", ".rpc_nanopb.h"
"""Ends of the names of the headers."""

SIDES = ("request", "response")


def message_of(method: MethodDescriptor, side: str) -> Descriptor:
    """Returns the type of a method's request or response."""
    return method.input_type if side == "request" else method.output_type


def method_name(names: Names, method: MethodDescriptor) -> str:
    """Returns the identifier with which those of a method begin."""
    return names.of[method.full_name, "method"]


class Managed:
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

    def response(self, message: Descriptor) -> dict[str, str]:
        """Returns the parameter and the argument of a response, what stands before and behind the call, and what a
        program may do instead."""
        return {
            "response": f"{self.type(message)} *response",
            "the_response": "&answer",
            "before": f"{self.type(message)} answer = {{*response}};",
            "behind": "\n    *response = answer.handle;",
            "other": ", which is empty, or puts another message in its place",
        }

    def sent(self, message: Descriptor) -> tuple[str, str]:
        """Returns the parameter of a message to send, and what it is to the server."""
        return f"{self.type(message)} message", "message.handle"

    def places(self, service: str, methods: list[MethodDescriptor]) -> list[str]:
        return []

    def reference(self, message: Descriptor, method: str, side: str) -> str:
        return f"&{self.names.function(message, 'info')}"


class Nanopb:
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

    def response(self, message: Descriptor) -> dict[str, str]:
        kind = self.type(message)
        return {
            "response": f"{kind} *response",
            "the_response": "answer",
            "before": f"{kind} *answer = *response;\n\n    *answer = ({kind}){kind}_init_default;",
            "behind": "",
            "other": "",
        }

    def sent(self, message: Descriptor) -> tuple[str, str]:
        return f"{self.type(message)} *message", "message"

    def places(self, service: str, methods: list[MethodDescriptor]) -> list[str]:
        lines = []
        for side in SIDES:
            kinds = sorted({self.type(message_of(method, side)) for method in methods})
            members = [f"    {kind} as_{index};" for index, kind in enumerate(kinds)]
            lines += [f"static union {{\n{chr(10).join(members)}\n}} {service}_{side}s;"] if members else []
            lines += [
                f"static const struct hw_rpc_nanopb_type {method_name(self.names, method)}_{side} = "
                f"{{{self.type(message_of(method, side))}_fields, &{service}_{side}s}};"
                for method in methods
            ]
        return [*lines, ""]

    def reference(self, message: Descriptor, method: str, side: str) -> str:
        return f"&{method}_{side}"
