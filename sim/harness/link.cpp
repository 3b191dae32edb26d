#include "link.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "options.h"

namespace {

constexpr uint32_t kMagic = 0x4b4e4c48;  // "HLNK"
constexpr int kWaitMilliseconds = 20;

struct Greeting {
    uint32_t magic, quantum, byte_cycles;
};

sockaddr_un address_of(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
        fail("--link: a path of 1 to 107 bytes, not '" + path + "'");
    memcpy(address.sun_path, path.c_str(), path.size());
    return address;
}

}  // namespace

Link::Link(const std::string &peer, uint32_t byte_cycles, Stopped stopped)
    : byte_cycles_(byte_cycles), stopped_(std::move(stopped)) {
    signal(SIGPIPE, SIG_IGN);
    if (byte_cycles == 0) fail("--link-byte-cycles: at least 1");
    if (peer.rfind("listen:", 0) == 0)
        listen(peer.substr(7));
    else if (peer.rfind("connect:", 0) == 0)
        connect(peer.substr(8));
    else
        fail("--link: expected listen:PATH or connect:PATH, not '" + peer + "'");
    if (socket_ >= 0) greet();
}

Link::~Link() { cut(); }

void Link::cut() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
}

void Link::listen(const std::string &path) {
    sockaddr_un address = address_of(path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (sockaddr *)&address, sizeof address) || ::listen(listener, 1))
        fail("--link: " + path + ": " + strerror(errno));
    pollfd ready{listener, POLLIN, 0};
    while (socket_ < 0 && !stopped_())
        if (::poll(&ready, 1, kWaitMilliseconds) > 0) socket_ = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    close(listener);
    unlink(path.c_str());
}

void Link::connect(const std::string &path) {
    sockaddr_un address = address_of(path);
    int end = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (end < 0) fail(std::string("--link: ") + strerror(errno));
    while (::connect(end, (sockaddr *)&address, sizeof address)) {
        if (errno != ENOENT && errno != ECONNREFUSED && errno != EINTR)
            fail("--link: " + path + ": " + strerror(errno));
        if (stopped_()) {
            close(end);
            return;
        }
        usleep(kWaitMilliseconds * 1000);  // no one listens yet
    }
    socket_ = end;
}

void Link::greet() {
    Greeting ours{kMagic, kQuantum, byte_cycles_}, theirs{};
    if (::send(socket_, &ours, sizeof ours, MSG_NOSIGNAL) != sizeof ours || !pull(&theirs, sizeof theirs)) {
        if (!stopped_()) fail("--link: the other end is gone before it began");
        return;
    }
    if (memcmp(&ours, &theirs, sizeof ours))
        fail("--link: the other end is no end of such a line, or has another --link-byte-cycles (here " +
             std::to_string(byte_cycles_) + ", there " + std::to_string(theirs.byte_cycles) + ")");
}

void Link::send(uint64_t cycle, uint8_t byte) {
    uint16_t at = cycle % kQuantum;
    token_ += {char(at), char(at >> 8), char(byte)};
    next_ = cycle + byte_cycles_;
    sent++;
}

void Link::arrived(bool taken) {
    arrivals_.pop_front();
    (taken ? received : lost)++;
}

// The token: a count, then that many bytes, each with the cycle of the quantum in which it was sent.
void Link::push() {
    uint16_t count = token_.size() / 3;
    token_.insert(0, {char(count), char(count >> 8)});
    for (size_t at = 0; socket_ >= 0 && at < token_.size();) {
        ssize_t sent = ::send(socket_, token_.data() + at, token_.size() - at, MSG_NOSIGNAL);
        if (sent <= 0 && errno != EINTR) break;  // the other end is gone; what it sent before can still be read
        at += sent > 0 ? sent : 0;
    }
    token_.clear();
}

bool Link::pull(void *data, size_t bytes) {
    pollfd ready{socket_, POLLIN, 0};
    for (uint8_t *at = static_cast<uint8_t *>(data); bytes;) {
        if (::poll(&ready, 1, kWaitMilliseconds) <= 0) {
            if (stopped_()) return false;
            continue;
        }
        ssize_t got = recv(socket_, at, bytes, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return cut(), false;
        at += got;
        bytes -= got;
    }
    return true;
}

bool Link::exchange(uint64_t start) {
    push();
    uint16_t count = 0;
    if (socket_ < 0 || !pull(&count, sizeof count)) return socket_ < 0 || !stopped_();
    if (count > (kQuantum + byte_cycles_ - 1) / byte_cycles_)
        fail("--link: the other end tells of " + std::to_string(count) + " bytes in a quantum, at " +
             std::to_string(byte_cycles_) + " cycles each");
    std::string bytes(count * 3, 0);
    if (!pull(bytes.data(), bytes.size())) return socket_ < 0 || !stopped_();
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint64_t at = uint8_t(bytes[i]) | uint8_t(bytes[i + 1]) << 8, cycle = start + kQuantum + at;
        if (at >= kQuantum || cycle < earliest_)
            fail("--link: the other end tells of a byte in cycle " + std::to_string(at) + " of a quantum of " +
                 std::to_string(kQuantum) + (at < kQuantum ? ", while the line is busy with the one before" : ""));
        earliest_ = cycle + byte_cycles_;
        arrivals_.push_back({cycle, uint8_t(bytes[i + 2])});
    }
    return true;
}

void Link::end() {
    push();
    cut();
}
