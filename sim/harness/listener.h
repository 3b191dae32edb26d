// A TCP port of this machine for one client at a time. The simulation does not wait for a client.
#pragma once

// Listens on 127.0.0.1:`port` (0: any free port) and prints `name: tcp port N` on standard output. On an error, ends
// the program with a message that names `--name-port`.
int listen_locally(const char *name, int port);

// Returns the next client, or -1 if there is none. Reads and writes of the client do not block.
int accept_client(int listener);
