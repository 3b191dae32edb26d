#include "uart.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "listener.h"
#include "options.h"

namespace {

constexpr int kWaitMilliseconds = 100;

}  // namespace

Uart::Uart(int port, uint64_t turns, const std::string &input, bool from_stdin, std::function<bool()> stopped)
    : turns_(turns), from_stdin_(from_stdin), stopped_(std::move(stopped)) {
    if (!input.empty()) {
        FILE *stream = fopen(input.c_str(), "rb");
        if (!stream) fail(input + ": " + strerror(errno));
        for (int byte; (byte = fgetc(stream)) != EOF;) input_.push_back(byte);
        fclose(stream);
    }
    if (port >= 0) listener_ = listen_locally("uart", port);
}

void Uart::drop_client() {
    close(client_);
    client_ = -1;
    from_client_ = {};
}

void Uart::receive() {
    uint8_t buffer[4096];
    ssize_t got = recv(client_, buffer, sizeof buffer, 0);
    for (ssize_t i = 0; i < got; i++) {
        input_.push_back(buffer[i]);
        if (from_client_.ends_with(buffer[i])) unanswered_++;
    }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) drop_client();
}

void Uart::poll_client() {
    if (client_ < 0) client_ = accept_client(listener_);
    if (client_ < 0) return;
    greeted_ = true;
    if (!turns_ || clients_turn()) receive();
    if (client_ < 0 || output_.empty()) return;
    ssize_t sent = ::send(client_, output_.data(), output_.size(), MSG_NOSIGNAL);
    if (sent > 0) output_.erase(0, sent);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) drop_client();
}

bool Uart::poll(uint64_t cycle) {
    if (listener_ >= 0) {
        bool clients = clients_turn();
        poll_client();
        while (clients_turn() && (client_ >= 0 || !greeted_) && !stopped_()) {
            pollfd ready{client_ >= 0 ? client_ : listener_, short(output_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
            ::poll(&ready, 1, kWaitMilliseconds);
            poll_client();
        }
        if (clients && client_ >= 0) turn_began_ = cycle;
        return !turns_ || cycle - turn_began_ <= turns_;
    }
    if (!output_.empty()) {
        fwrite(output_.data(), 1, output_.size(), stdout);
        fflush(stdout);
        output_.clear();
    }
    if (!from_stdin_) return true;
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0 || !(ready.revents & (POLLIN | POLLHUP))) return true;
    uint8_t buffer[256];
    ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
    if (got > 0) input_.insert(input_.end(), buffer, buffer + got);
    if (got == 0) from_stdin_ = false;
    return true;
}

void Uart::flush() {
    turns_ = 0;
    poll(0);
    while (client_ >= 0 && !output_.empty()) {
        pollfd ready{client_, POLLOUT, 0};
        if (::poll(&ready, 1, 1000) <= 0) return;
        poll_client();
    }
    if (client_ >= 0) drop_client();
}
