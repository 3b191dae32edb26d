"""Pigweed's client with a device of the tests: over a line, or in datagrams. In Pigweed's own environment."""

import errno
import socket
import subprocess
import threading
import time

from pw_hdlc.encode import ui_frame
from pw_hdlc.rpc import DEFAULT_ADDRESS, HdlcRpcClient, channel_output
from pw_rpc import Channel, ChannelManipulator
from pw_rpc.callback_client import Impl, RpcError
from pw_rpc.client_utils import RpcClient
from pw_rpc.ids import calculate
from pw_rpc.internal.packet_pb2 import PacketType, RpcPacket
from pw_status import Status
from pw_stream.stream_readers import DataReaderAndExecutor, SocketReader

SECONDS = 120
HEAD = 36
"""Bytes that the device keeps for what is no payload."""
STREAMS, CALLS = 8, 16
PORT, DATAGRAMS = 7000, "datagrams"
IP_MTU_DISCOVER, IP_PMTUDISC_DO = 10, 2


def damaged(data, dice):
    at, kind = dice.randrange(len(data)), dice.randrange(5)
    if kind == 0:
        return data[:at] + data[at + 1 :]
    if kind == 1:
        return data[:at] + bytes([data[at] ^ 1 << dice.randrange(8)]) + data[at + 1 :]
    if kind == 2:
        return data[:at] + dice.randbytes(dice.randrange(1, 40)) + data[at:]
    if kind == 3:
        return data[:at] + data[at : at + 1] + data[at:]
    return data[:at]


class Overheard(ChannelManipulator):
    """Passes the device's packets on to the client, and keeps them."""

    def __init__(self):
        super().__init__()
        self.packets = []

    def process_and_send(self, packet):
        self.packets.append(RpcPacket.FromString(packet))
        self.send_packet(packet)


class Device:
    """A line to the device, and the client on it. output: bytes of the longest packet that the device sends."""

    output = 1500

    def __init__(self, line, service, modules, channels=(1, 2, 7)):
        self.line, self.service, self.heard, self.lock = line, service, Overheard(), threading.Lock()
        self.client = self.client_of(modules, channels)

    def client_of(self, modules, channels):
        return HdlcRpcClient(
            SocketReader(self.line, 4096),
            modules,
            [Channel(number, channel_output(self.send)) for number in channels],
            client_impl=Impl(SECONDS, SECONDS),
            _incoming_packet_filter_for_testing=self.heard,
        )

    def send_damaged(self, packet, dice):
        if dice.random() < 0.5:
            self.send(damaged(ui_frame(DEFAULT_ADDRESS, packet), dice) + b"~")
        else:
            self.frame(damaged(packet, dice))

    def check_too_long(self, call):
        """Checks that a request is refused that is too long for the device."""
        assert fails(call) is Status.RESOURCE_EXHAUSTED

    def send(self, data):
        with self.lock:
            self.line.sendall(data)

    def rpcs(self, channel=1):
        return getattr(self.client.rpcs(channel).device, self.service)

    def look(self):
        return self.rpcs().Look().unwrap_or_raise()

    def frame(self, data, address=DEFAULT_ADDRESS):
        self.send(ui_frame(address, data))

    def packet(self, **fields):
        """Sends a packet of the method Watch, call 99, unless the fields say otherwise."""
        given = {"channel_id": 1, "service_id": calculate(f"device.{self.service}"), "method_id": calculate("Watch")}
        self.frame(RpcPacket(**({"call_id": 99} | given | fields)).SerializeToString())

    def answer(self, **fields):
        """Sends a packet, and returns the answers to it: what the device has sent before it answers a call."""
        self.look()
        self.heard.packets.clear()
        self.packet(**fields)
        self.look()
        return self.heard.packets[:-1]

    def refused(self, **fields):
        """Returns the status of the error that answers a packet."""
        (answer,) = self.answer(**fields)
        assert answer.type == PacketType.SERVER_ERROR and answer.call_id == fields.get("call_id", 99), answer
        return Status(answer.status)


class Datagrams(Device):
    """A packet in each datagram."""

    output = 1472

    def taken(self, data):
        """Returns the packets in a datagram."""
        return [data]

    def client_of(self, modules, channels):
        reader = SocketReader(self.line, 2048)
        client = RpcClient(
            DataReaderAndExecutor(reader, print, self.taken, self.heard),
            modules,
            [Channel(number, self.send) for number in channels],
            Impl(SECONDS, SECONDS),
        )
        self.heard.send_packet = client.handle_rpc_packet
        return client

    def frame(self, data, address=DEFAULT_ADDRESS):
        self.send(data)

    def send_damaged(self, packet, dice):
        self.frame(damaged(packet, dice))

    def check_too_long(self, call):
        """This host's stack refuses it."""
        try:
            call()
        except OSError as error:
            assert error.errno == errno.EMSGSIZE
        else:
            raise AssertionError("it was sent")


class Numbered(Datagrams):
    """Datagrams of many clients, whose numbers stand before the data. Pigweed's is number 0. others: the numbers of
    others, and the packets that they got."""

    def __init__(self, *arguments):
        self.number, self.others = 0, []
        super().__init__(*arguments)

    def send(self, data):
        super().send(bytes([self.number]) + data)

    def taken(self, data):
        if data[0]:
            self.others.append((data[0], RpcPacket.FromString(data[1:])))
        return [] if data[0] else [data[1:]]

    def packet_of(self, number, **fields):
        """Sends a packet of another client."""
        self.number = number
        self.packet(**fields)
        self.number = 0


def wait(condition):
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.005)


def fails(call):
    """Returns the status with which a call fails."""
    try:
        result = call()
    except RpcError as error:
        return error.status
    raise AssertionError(f"no error, but {result}")


def ends(call):
    """Returns the status with which a call ends that the device refuses when it begins. (Pigweed's `Sum([])` sends the
    end of its stream behind the beginning, and fails if the refusal comes between the two.)"""
    wait(call.completed)
    return call.error or call.status


def line_to(words):
    if words[0] == "--udp":
        line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        line.setsockopt(socket.IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO)
        line.connect((words[1], PORT))
        return line, None
    if words[0] == "--port":
        return socket.create_connection(("127.0.0.1", int(words[1]))), None
    ours, its = socket.socketpair(type=socket.SOCK_SEQPACKET if words[-1] == DATAGRAMS else socket.SOCK_STREAM)
    process = subprocess.Popen(words, stdin=its, stdout=its)
    its.close()
    return ours, process
