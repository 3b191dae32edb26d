"""The study: it reproduces five papers with the machine. It uses the machine, and nothing of the machine uses it."""
