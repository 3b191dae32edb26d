"""The UART client: framing, transports and the monitor's requests."""

from heapwire.client.monitor import Monitor, MonitorError
from heapwire.client.ports import Disconnected, GivenUp, LinkError
from heapwire.client.transport import connect
from heapwire.records.monitor import RunFlag
from heapwire.records.workload import Engine

__all__ = ["Disconnected", "Engine", "GivenUp", "LinkError", "Monitor", "MonitorError", "RunFlag", "connect"]
