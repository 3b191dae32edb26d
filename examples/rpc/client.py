"""Pigweed's client of a thermostat: `client.py /dev/ttyUSB0`, or host:port of a simulator."""

import socket
import sys

import serial
import thermostat_pb2
from pw_hdlc.rpc import HdlcRpcClient, default_channels
from pw_rpc.callback_client import Impl
from pw_stream.stream_readers import SerialReader, SocketReader


def connect(where):
    if where.startswith("/"):
        port = serial.Serial(where, 115200)
        reader, write = SerialReader(port), port.write
    else:
        line = socket.create_connection(where.split(":"))
        reader, write = SocketReader(line, 4096), line.sendall
    return HdlcRpcClient(reader, [thermostat_pb2], default_channels(write), client_impl=Impl(30, 30))


with connect(sys.argv[-1]) as client:
    thermostat = client.rpcs().home.Thermostat
    for tenths in (183, 999):
        status, reading = thermostat.Set(tenths=tenths)
        print(f"Set {tenths}: {status.name} {reading.tenths} {reading.state}".rstrip())
    for reading in thermostat.Watch(readings=5).responses:
        print(f"Watch: {reading.tenths} {reading.state}")
