// A TCP port of this machine for one client at a time, whom nobody waits for.
#pragma once

// Listens on 127.0.0.1:`port` (0: any free port) and prints `name: tcp port N` on
// standard output; ends the program with a message that names `--name-port` otherwise.
int listen_locally(const char *name, int port);

// The next client, or -1 if there is none; its reads and writes do not block.
int accept_client(int listener);
