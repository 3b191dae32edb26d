"""Pigweed's client against the device of the tests, in Pigweed's own environment:

    python scenarios.py FOLDER SERVICE SEED REQUESTS FAULTS NAME,... (--port N | --udp IP | COMMAND... [datagrams])

FOLDER has what protoc has made of protos/. NAME: of a scenario (names.py). Prints a line of JSON for each: its name,
and what failed or null.
"""

import json
import random
import sys
import traceback

from devices import CALLS, DATAGRAMS, HEAD, STREAMS, Datagrams, Device, Numbered, ends, fails, line_to, wait
from names import ENDS_WELL
from pw_rpc.callback_client import RpcTimeout
from pw_rpc.ids import calculate
from pw_rpc.internal.packet_pb2 import PacketType, RpcPacket
from pw_status import Status


def record(device, dice, bytes_of_data=40):
    kind = device.rpcs().Echo.method.request_type
    made = kind(name="ä" * dice.randrange(20), data=dice.randbytes(bytes_of_data), mode=dice.choice((0, 3)))
    made.origin.x, made.origin.y = dice.randrange(-1000, 1000), dice.random()
    for _ in range(dice.randrange(10)):
        made.points.add(x=dice.randrange(-(1 << 31), 1 << 31), y=dice.random())
    for _ in range(dice.randrange(10)):
        made.counts[str(dice.random())] = dice.randrange(-(1 << 63), 1 << 63)
    if dice.random() < 0.4:
        made.number = dice.randrange(1 << 32)
    elif dice.random() < 0.5:
        made.text = "hello"
    return made


def echo(device, dice, given):
    kind = device.rpcs().Echo.method.request_type
    for message in [kind(), kind(name="a"), kind(number=0), *(record(device, dice) for _ in range(20))]:
        status, answer = device.rpcs().Echo(message)
        assert status is Status.OK and answer == message


def statuses(device, dice, given):
    for status in Status:
        assert device.rpcs().Fail(value=status.value) == (status, device.rpcs().Fail.method.response_type(value=7))


def failing_handler(device, dice, given):
    """The handler of managed messages changes a message that is not there and does not look; the other leaves its call
    open, which no call without a stream can be."""
    assert fails(lambda: device.rpcs().Fail(value=-1)) is Status.INTERNAL
    assert device.rpcs().Fail(value=17).status is device.rpcs().Fail(value=1000).status is Status.UNKNOWN


def server_stream(device, dice, given):
    for count in (0, 1, 20):
        status, numbers = device.rpcs().Count(count=count, first=5)
        assert status is Status.OK and [each.value for each in numbers] == list(range(5, 5 + count))


def client_stream(device, dice, given):
    number = device.rpcs().Sum.method.request_type
    assert device.rpcs().Sum([number(value=value) for value in range(10)]).response.value == 45
    assert device.rpcs().Sum([]) == (Status.OK, number())
    call = device.rpcs().Sum.invoke()
    call.send(value=1000000)
    call.send(value=1)
    wait(call.completed)
    assert call.status is Status.OUT_OF_RANGE


def both_streams(device, dice, given):
    number = device.rpcs().Double.method.request_type
    for values in ([], [1], list(range(20))):
        status, answers = device.rpcs().Double([number(value=value) for value in values])
        assert status is Status.OK and [each.value for each in answers] == [-1, *(2 * value for value in values)]


def several_open_calls(device, dice, given):
    """Of one method, on two channels, each with its own numbers; they end in their own time."""
    firsts = [1000 * index for index in range(STREAMS)]
    calls = [
        device.rpcs(1 + index % 2).Watch.invoke(request_args={"count": 10 + index, "first": first})
        for index, first in enumerate(firsts)
    ]
    for index, (call, first) in enumerate(zip(calls, firsts)):
        status, numbers = call.wait()
        assert status is Status.OK and [each.value for each in numbers] == list(range(first, first + 10 + index))
    assert device.look().open == 0


def cancelled_calls(device, dice, given):
    before = device.look().cancelled
    kept, given_up = (device.rpcs().Watch.invoke(request_args={"count": 1 << 31}) for _ in range(2))
    wait(lambda: kept.responses and given_up.responses)
    assert given_up.cancel() and device.look().cancelled == before + 1 and device.look().open == 1
    got = kept.responses[-1].value
    wait(lambda: kept.responses[-1].value > got)
    kept.cancel()
    call = device.rpcs().Sum.invoke()
    call.send(value=5)
    call.cancel()
    seen = device.look()
    assert (seen.cancelled, seen.open) == (before + 3, 0)
    assert device.refused(type=PacketType.CLIENT_STREAM, method_id=calculate("Sum"), call_id=call.call_id) is (
        Status.FAILED_PRECONDITION
    )
    assert not device.answer(type=PacketType.CLIENT_ERROR, status=1)  # nothing to cancel, and errors have no answer


def completion(device, dice, given):
    """A client that wants no more of a server's stream: the program ends that by its own status."""
    call = device.rpcs().Watch.invoke(request_args={"count": 1 << 31})
    wait(lambda: call.responses)
    call.request_completion()
    wait(call.completed)
    assert call.status is Status.ABORTED and device.look().open == 0


def same_call_again(device, dice, given):
    """A client that has begun anew uses a call id again: the old call is cancelled."""
    before, sum_ = device.look().cancelled, {"method_id": calculate("Sum")}
    for _ in range(3):
        device.packet(**sum_)
    assert device.look().cancelled == before + 2
    device.packet(type=PacketType.CLIENT_ERROR, status=1, **sum_)
    assert device.look().cancelled == before + 3


def too_many_calls(device, dice, given):
    calls = [device.rpcs().Sum.invoke() for _ in range(CALLS)]
    assert ends(device.rpcs().Sum.invoke()) is Status.RESOURCE_EXHAUSTED
    for index, call in enumerate(calls):
        call.send(value=index)
    assert [call.finish_and_wait().response.value for call in calls] == list(range(CALLS))
    watched = [device.rpcs().Watch.invoke(request_args={"count": 1 << 31}) for _ in range(STREAMS + 1)]
    wait(watched[-1].completed)
    assert watched[-1].status is Status.RESOURCE_EXHAUSTED
    for call in watched:
        call.cancel()


def vanished_clients(device, dice, given):
    """Other clients fill the table of calls and are silent, but for the first one. A new client has the calls that it
    needs: each takes the place of the client that has been silent longest."""
    sum_, others = {"method_id": calculate("Sum")}, range(1, CALLS + 1)
    before = device.look().cancelled
    for number in others:
        device.packet_of(number, **sum_)
    device.packet_of(1, type=PacketType.CLIENT_STREAM, payload=b"\x08\x05", **sum_)
    calls = [device.rpcs().Sum.invoke() for _ in others]
    assert ends(device.rpcs().Sum.invoke()) is Status.RESOURCE_EXHAUSTED  # all calls are its own
    ended = [*others[1:], 1]
    assert [number for number, _ in device.others] == ended and device.look().cancelled == before + CALLS
    told = {(packet.type, packet.status, packet.call_id) for _, packet in device.others}
    assert told == {(PacketType.SERVER_ERROR, Status.RESOURCE_EXHAUSTED.value, 99)}
    for index, call in enumerate(calls):
        call.send(value=index)
    assert [call.finish_and_wait().response.value for call in calls] == list(range(CALLS))
    device.packet_of(3, type=PacketType.CLIENT_STREAM, payload=b"\x08\x05", **sum_)
    device.look()
    number, answer = device.others[-1]
    assert (number, answer.status) == (3, Status.FAILED_PRECONDITION.value)


def unknown_service_and_method(device, dice, given):
    for fields in ({"service_id": 1}, {"method_id": 1}, {"service_id": 0}, {"method_id": 0}):
        for kind in (PacketType.REQUEST, PacketType.CLIENT_STREAM, PacketType.CLIENT_REQUEST_COMPLETION):
            assert device.refused(type=kind, **fields) is Status.NOT_FOUND
        assert not device.answer(type=PacketType.CLIENT_ERROR, **fields)


def wrong_channels(device, dice, given):
    assert fails(lambda: device.rpcs(7).Look()) is Status.UNAVAILABLE
    assert device.rpcs(2).Look().status is Status.OK
    before = device.look().malformed
    assert not device.answer(channel_id=0) and device.look().malformed == before + 1
    call = device.rpcs(1).Sum.invoke()
    refused = device.refused(
        type=PacketType.CLIENT_STREAM, method_id=calculate("Sum"), channel_id=2, call_id=call.call_id
    )
    assert refused is Status.FAILED_PRECONDITION  # a call of channel 1
    call.cancel()


def wrong_packets(device, dice, given):
    stream, end = PacketType.CLIENT_STREAM, PacketType.CLIENT_REQUEST_COMPLETION
    assert device.refused(type=stream) is device.refused(type=end) is Status.FAILED_PRECONDITION
    call = device.rpcs().Watch.invoke(request_args={"count": 1 << 31})
    device.packet(type=stream, call_id=call.call_id)
    wait(call.completed)
    assert call.error is Status.INVALID_ARGUMENT and device.look().open == 0
    assert device.refused(method_id=calculate("Echo"), payload=b"\x0a\xff") is Status.DATA_LOSS
    if device.service == "Objects":  # nanopb does not look for UTF-8
        assert device.refused(method_id=calculate("Echo"), payload=b"\x0a\x01\xff") is Status.DATA_LOSS
    sum_, number = {"method_id": calculate("Sum")}, b"\x08\xff"
    assert not device.answer(**sum_)
    assert device.refused(type=stream, payload=number, **sum_) is Status.DATA_LOSS
    assert device.refused(type=stream, payload=b"\x08\x01", **sum_) is Status.FAILED_PRECONDITION
    look = RpcPacket(type=6, channel_id=1, service_id=calculate(f"device.{device.service}"), call_id=99)
    look.method_id = calculate("Look")
    device.heard.packets.clear()
    device.frame(look.SerializeToString())
    device.look()
    assert [each.status for each in device.heard.packets] == [Status.UNIMPLEMENTED.value, 0]
    before = device.look().malformed
    for kind in (PacketType.RESPONSE, PacketType.SERVER_ERROR, PacketType.SERVER_STREAM):
        assert not device.answer(type=kind)
    assert device.look().malformed == before + 3


def unknown_fields(device, dice, given):
    """Fields that the server does not know, and fields that occur twice."""
    service, method = calculate(f"device.{device.service}"), calculate("Count")
    packet = RpcPacket(channel_id=2, service_id=1, method_id=method, call_id=99).SerializeToString()
    packet += b"\x7b\x08\x01\x7c" + b"\xa2\x01\x03abc" + b"\xa9\x01" + bytes(8) + b"\xad\x01" + bytes(4)
    packet += RpcPacket(channel_id=1, service_id=service, payload=b"\x08\x02").SerializeToString()
    device.look()
    device.heard.packets.clear()
    device.frame(packet)
    device.look()
    assert [each.type for each in device.heard.packets] == [7, 7, 1, 1]


def malformed(device, dice, given):
    """What is no packet; what is left of packets that are cut."""
    whole = RpcPacket(channel_id=1, service_id=5, method_id=6, payload=b"12345", call_id=99).SerializeToString()
    bad = [
        b"",
        b"\x00",
        b"\x08",
        b"\x0b",
        b"\xff" * 30,
        b"\x2a\xff\xff\xff\xff\x0f",
        b"\x08" + b"\xff" * 11,
        b"\x10\x81\x80\x80\x80\x10",  # channel 2^32 + 1
        b"\x1d\x01",
    ]
    bad += [whole[:cut] for cut in (1, 3, 6, 11, 13, len(whole) - 1)]
    before = device.look()
    for packet in bad:
        device.frame(packet)
    after = device.look()
    assert after.malformed - before.malformed == len(bad) and after.packets == before.packets + 1


def broken_frames(device, dice, given):
    whole = RpcPacket(channel_id=1, service_id=5, method_id=6, payload=b"12345", call_id=99).SerializeToString()
    for data in (b"~~~~", b"~\x7d~", b"~}}}}}~", b"~abc~", b"no frame at all~", bytes(3000)):
        device.send(data)
    device.frame(whole, address=1)  # not for the server
    device.send(b"~")
    device.heard.packets.clear()
    device.look()
    assert len(device.heard.packets) == 1


def long_payloads(device, dice, given):
    """The longest ones, and those that are too long for the device to take, or to send."""
    echo = device.rpcs().Echo
    most = device.output - HEAD - 3
    status, answer = device.rpcs().Large(count=most)
    assert status is Status.OK and len(answer.data) == most
    assert fails(lambda: device.rpcs().Large(count=most + 1)) is Status.INTERNAL
    assert echo(data=bytes(1400)).response.data == bytes(1400)
    for length in (1490, 1600, 12_000):
        device.check_too_long(lambda: echo(data=dice.randbytes(length)))
    assert echo(name="again").response.name == "again"


def many_requests(device, dice, given):
    """Eight at a time, none lost."""
    open_calls = []
    for _ in range(given.requests):
        message = record(device, dice, dice.randrange(200))
        open_calls.append((message, device.rpcs().Echo.invoke(message)))
        if len(open_calls) == 8:
            for message, call in open_calls:
                assert call.wait() == (Status.OK, message)
            open_calls.clear()
    assert all(call.wait() == (Status.OK, message) for message, call in open_calls)


def faulty_line(device, dice, given):
    """A damaged frame of any kind, or a whole one whose packet is damaged, then a request, which must be answered. Its
    method is another one than theirs: an answer to a packet that has lost its call's id is for any call of its
    method."""
    methods = [calculate(name) for name in ("Echo", "Count", "Sum", "Double", "Watch", "Look")]
    for _ in range(given.faults):
        packet = RpcPacket(
            type=dice.choice((0, 2, 4, 8)),
            channel_id=dice.choice((1, 2, 7)),
            service_id=calculate(f"device.{device.service}"),
            method_id=dice.choice(methods),
            call_id=100 + dice.randrange(20),
            payload=dice.choice((b"", b"\x08\x02", record(device, dice).SerializeToString())),
        ).SerializeToString()
        device.send_damaged(packet, dice)
        assert device.rpcs().Fail(value=5).status.value == 5
    for method in methods:
        for call in range(100, 120):
            for channel in (1, 2):
                device.packet(type=PacketType.CLIENT_ERROR, method_id=method, call_id=call, channel_id=channel)


class Given:
    def __init__(self, words):
        self.folder, self.service, seed, requests, faults, names, *self.device = words
        self.seed, self.requests, self.faults = int(seed), int(requests), int(faults)
        self.scenarios = [globals()[name] for name in names.split(",")]


def main():
    given = Given(sys.argv[1:])
    sys.path.insert(0, given.folder)
    import objects_pb2
    import structs_pb2

    line, process = line_to(given.device)
    kind = Datagrams if given.device[0] == "--udp" else Numbered if given.device[-1] == DATAGRAMS else Device
    device = kind(line, given.service, [objects_pb2, structs_pb2])
    for scenario in given.scenarios:
        dice, problem = random.Random(f"{given.seed} {scenario.__name__}"), None
        try:
            scenario(device, dice, given)
        except (Exception, RpcTimeout):
            problem = traceback.format_exc()
        print(json.dumps([scenario.__name__, problem]), flush=True)
    device.client.close()
    line.close()
    if process:
        print(json.dumps([ENDS_WELL, process.wait(20) or None]), flush=True)


main()
