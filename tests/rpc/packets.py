"""Packets that Pigweed's client makes for the device of the tests, and what must answer them, in Pigweed's own
environment:

    python packets.py FOLDER SERVICE SEED make          prints a JSON line for each step: name, packet, answers awaited
    python packets.py FOLDER SERVICE SEED check         reads a JSON line of answers for each step, prints what is wrong

FOLDER has what protoc has made of protos/. The steps repeat by the seed."""

import json
import random
import sys
from itertools import count

from pw_rpc import packets
from pw_rpc.ids import calculate
from pw_rpc.internal.packet_pb2 import PacketType, RpcPacket
from pw_status import Status

ECHOES = 1000
"""Steps named `echo`, each of which has one answer, then the others."""
CLIENTS = 6
"""That have a call each."""


class Ids:
    """What a packet says of its call."""

    def __init__(self, service, method, call, channel=1):
        self.service_id, self.method_id = calculate(service), calculate(method)
        self.call_id, self.channel_id = call, channel


def record(kind, dice):
    made = kind(name="é" * dice.randrange(10), data=dice.randbytes(dice.choice((0, 10, 200, 1300))))
    made.origin.x, made.origin.y = dice.randrange(-1000, 1000), dice.random()
    for _ in range(dice.randrange(10) if len(made.data) < 1000 else 0):
        made.points.add(x=dice.randrange(-(1 << 31), 1 << 31), y=dice.random())
    made.counts[str(dice.randrange(100))] = dice.randrange(-(1 << 63), 1 << 63)
    return made


def steps(protos, service, dice):
    """Yields (name, packet, answers): of an answer the type, the status and, if it has one, the message."""
    full, numbers = f"device.{service}", count(1)

    def ids(method, **more):
        return Ids(full, method, next(numbers), **more)

    def ended(status=Status.OK, message=None):
        return PacketType.RESPONSE, status, message

    def refused(status):
        return PacketType.SERVER_ERROR, status, None

    def streamed(value):
        return PacketType.SERVER_STREAM, Status.OK, protos.Number(value=value)

    for _ in range(ECHOES):
        message = record(protos.Record, dice)
        yield "echo", packets.encode_request(ids("Echo"), message), [ended(message=message)]
    failing = protos.Number(value=Status.NOT_FOUND.value)
    yield "status", packets.encode_request(ids("Fail"), failing), [ended(Status.NOT_FOUND, protos.Number(value=7))]
    wanted = protos.Range(count=3, first=5)
    yield ("server stream", packets.encode_request(ids("Count"), wanted), [*map(streamed, (5, 6, 7)), ended()])
    call = ids("Sum")
    yield "client stream", packets.encode_request(call, None), []
    for value in (1000, 234):
        yield "its message", packets.encode_client_stream(call, protos.Number(value=value)), []
    yield "its end", packets.encode_client_stream_end(call), [ended(message=protos.Number(value=1234))]
    call = ids("Double")
    yield "both streams", packets.encode_request(call, None), [streamed(-1)]
    yield "their message", packets.encode_client_stream(call, protos.Number(value=21)), [streamed(42)]
    yield "their end", packets.encode_client_stream_end(call), [ended()]
    call = ids("Sum")
    for client in range(CLIENTS):  # the same call of each
        value = 1000 + 7 * client
        yield f"sum {client}", packets.encode_request(call, None), []
        yield f"number {client}", packets.encode_client_stream(call, protos.Number(value=value)), []
        yield f"end {client}", packets.encode_client_stream_end(call), [ended(message=protos.Number(value=value))]
    wanted = protos.Range(count=40, first=100)
    yield "watched", packets.encode_request(ids("Watch"), wanted), [*map(streamed, range(100, 140)), ended()]
    call = ids("Sum")
    yield "a call that is cancelled", packets.encode_request(call, None), []
    yield "its cancelling", packets.encode_cancel(call), []
    message = packets.encode_client_stream(call, protos.Number(value=1))
    yield "its message", message, [refused(Status.FAILED_PRECONDITION)]
    yield "no method", packets.encode_request(ids("Nothing"), None), [refused(Status.NOT_FOUND)]
    unknown = Ids("device.Nothing", "Echo", next(numbers))
    yield "no service", packets.encode_request(unknown, None), [refused(Status.NOT_FOUND)]
    yield (
        "another channel",
        packets.encode_request(ids("Echo", channel=2), protos.Record(name="two")),
        [ended(message=protos.Record(name="two"))],
    )
    yield "no channel", packets.encode_request(ids("Echo", channel=7), None), [refused(Status.UNAVAILABLE)]
    whole = packets.encode_request(ids("Echo"), protos.Record(name="whole"))
    for bad in (b"", b"\x08", b"\xff" * 30, whole[:-1], whole[:9], b"\x2a\xff\xff\xff\xff\x0f"):
        yield "malformed", bad, []
    broken = RpcPacket.FromString(packets.encode_request(ids("Echo"), None))
    broken.payload = b"\x0a\xff"
    yield "a payload that is none", broken.SerializeToString(), [refused(Status.DATA_LOSS)]
    for size in (1436, 2000):  # of the 1,472 bytes of a datagram 36 are kept for what is no payload
        large = packets.encode_request(ids("Large"), protos.Range(count=size))
        yield "a response that is too long", large, [refused(Status.INTERNAL)]


def is_answer(data, expected, message_of):
    answer = packets.decode(data)
    kind, status, message = expected
    return (
        (answer.type, answer.status) == (kind, status.value)
        and (message is None or message_of(message).FromString(answer.payload) == message)
        and (message is not None or not answer.payload or kind == PacketType.RESPONSE)
    )


def main():
    folder, service, seed, what = sys.argv[1:]
    sys.path.insert(0, folder)
    import records_pb2

    told = list(steps(records_pb2, service, random.Random(seed)))
    if what == "make":
        for name, packet, answers in told:
            print(json.dumps([name, packet.hex(), len(answers)]))
        return
    for (name, packet, expected), line in zip(told, sys.stdin, strict=True):
        if (given := json.loads(line)) is None:
            continue  # not sent
        sent = packets.decode(packet) if expected else None
        answers = [bytes.fromhex(each) for each in given]
        right = len(answers) == len(expected) and all(
            packets.decode(answer).call_id == sent.call_id and is_answer(answer, each, type)
            for answer, each in zip(answers, expected)
        )
        if not right:
            print(f"{name}: {packet.hex()} was answered by {given}")


main()
