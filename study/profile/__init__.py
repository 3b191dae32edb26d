"""Where the protobuf engine's cycles go, for a message."""
