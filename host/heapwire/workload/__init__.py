"""What a machine runs: messages (cases), groups of them that share a schema, and the file that holds a group in its
memory."""
