"""The official protobuf conformance runner against a backend: the software twins of the host build, or whatever else
answers a list of messages. The runner asks twice: a first run only records its requests, they are answered in one
batch, and a second run gets the answers."""
