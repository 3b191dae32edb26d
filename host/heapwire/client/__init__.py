"""The UART client: framing, transports and the monitor's requests."""
from heapwire.client.monitor import LinkError, Monitor, MonitorError
from heapwire.client.protocol import Engine, RunFlag
from heapwire.client.transport import connect

__all__ = ["Engine", "LinkError", "Monitor", "MonitorError", "RunFlag", "connect"]
