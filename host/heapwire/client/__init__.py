"""The UART client: framing, transports and the monitor's requests."""

from heapwire.client.monitor import Monitor, MonitorError
from heapwire.client.ports import Disconnected, GivenUp, LinkError
from heapwire.client.protocol import Engine, RunFlag
from heapwire.client.transport import connect

__all__ = ["Disconnected", "Engine", "GivenUp", "LinkError", "Monitor", "MonitorError", "RunFlag", "connect"]
