"""Pigweed's client, joined to a board's serial device (/dev/...) or to host:port of the simulator."""

import socket

import serial
from pw_hdlc.rpc import HdlcRpcClient, default_channels
from pw_rpc.callback_client import Impl
from pw_stream.stream_readers import SerialReader, SocketReader


def connect(where, *modules, seconds=10):
    """Returns the client. modules: those that protoc has made of the .proto files with services."""
    if where.startswith("/"):
        port = serial.Serial(where, 115200)
        reader, write = SerialReader(port, 4096), port.write
    else:
        host, _, number = where.rpartition(":")
        line = socket.create_connection((host, int(number)))
        reader, write = SocketReader(line, 4096), line.sendall
    return HdlcRpcClient(reader, modules, default_channels(write), client_impl=Impl(seconds, seconds))
