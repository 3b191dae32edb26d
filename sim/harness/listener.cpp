#include "listener.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "options.h"

int listen_locally(const char *name, int port) {
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (listener < 0 || bind(listener, (sockaddr *)&address, size) || listen(listener, 1) ||
        getsockname(listener, (sockaddr *)&address, &size))
        fail(std::string("--") + name + "-port " + std::to_string(port) + ": " + strerror(errno) +
             "; try another port, or 0 for any");
    printf("%s: tcp port %d\n", name, ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

int accept_client(int listener) {
    int client = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    int on = 1;
    if (client >= 0) setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return client;
}
