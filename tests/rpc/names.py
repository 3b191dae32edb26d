"""The names of the scenarios, which only Pigweed's environment can import (scenarios.py)."""

SCENARIOS = """
echo
statuses
failing_handler
server_stream
client_stream
both_streams
several_open_calls
cancelled_calls
completion
same_call_again
too_many_calls
vanished_clients
unknown_service_and_method
wrong_channels
wrong_packets
unknown_fields
malformed
broken_frames
long_payloads
many_requests
faulty_line
""".split()
OF_FRAMES = ("broken_frames",)
"""Only on a serial line."""
OF_CLIENTS = ("vanished_clients",)
"""Only where a line has several clients: by datagrams of a pair of sockets."""
OF_SOCKETS = ("long_payloads",)
"""Not by datagrams of a pair of sockets, which refuses none."""
ENDS_WELL = "the device ends well"
