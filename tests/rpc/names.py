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
unknown_service_and_method
wrong_channels
wrong_packets
unknown_fields
malformed
long_payloads
many_requests
faulty_line
""".split()
ENDS_WELL = "the device ends well"
