"""Runs the official protobuf conformance runner against a backend: the codec in the host build, or anything
else that answers a list of messages. The runner is started twice. The first run only records its requests. They are
answered in one batch, and the second run gets the answers."""
