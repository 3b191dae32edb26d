#include "jtag.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "listener.h"

namespace {
// Cycles between polls of the socket. They are fewer while a debugger is working, because it waits for answers.
constexpr uint64_t kBusyCycles = 4096, kBusyPoll = 8, kIdlePoll = 256;
}  // namespace

Jtag::Jtag(int port) : listener_(listen_locally("jtag", port)) {}

bool Jtag::attached() {
    if (client_ < 0) client_ = accept_client(listener_);
    return client_ >= 0;
}

void Jtag::poll() {
    if (!attached()) return;
    bool gone = false;
    if (!output_.empty()) {
        ssize_t sent = ::send(client_, output_.data(), output_.size(), MSG_NOSIGNAL);
        if (sent > 0) output_.erase(0, sent);
        gone = sent < 0 && errno != EAGAIN && errno != EINTR;
    }
    if (next_ == input_.size()) {
        char buffer[4096];
        ssize_t got = recv(client_, buffer, sizeof buffer, 0);
        next_ = 0;
        input_.assign(buffer, got > 0 ? got : 0);
        gone |= got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    }
    if (!gone) return;
    close(client_);
    client_ = -1;
    output_.clear();
}

const Jtag::Pins &Jtag::step(uint64_t cycle, bool tdo) {
    if (next_ == input_.size() && cycle % (cycle - busy_ < kBusyCycles ? kBusyPoll : kIdlePoll) == 0) poll();
    while (next_ < input_.size()) {
        busy_ = cycle;
        char command = input_[next_++];
        if (command == 'R') output_ += tdo ? '1' : '0';
        if (command == 'Q') {
            close(client_);
            client_ = -1;
        }
        if (command >= '0' && command <= '7') {
            int bits = command - '0';
            pins_ = {bool(bits & 4), bool(bits & 2), bool(bits & 1)};
            break;
        }
    }
    return pins_;
}
