#include "ethernet.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "options.h"

namespace {

constexpr size_t kGap = 12;               // cycles between two frames
constexpr size_t kLeast = 60;             // bytes of a frame, without preamble and FCS
constexpr size_t kMostFromTap = 1 << 11;  // bytes of a frame
constexpr uint64_t kTapByteCycles = 80;   // by which a TAP's frames are slowed down: 10 Mbit/s at 100 MHz
constexpr size_t kMostWaiting = 64;       // frames of the TAP; more wait in the kernel
const std::string kPreamble("\x55\x55\x55\x55\x55\x55\x55\xd5", 8);

std::string checksum(const std::string &bytes) {
    uint32_t crc = ~0u;
    for (uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    crc = ~crc;
    return std::string(reinterpret_cast<const char *>(&crc), sizeof crc);
}

}  // namespace

Ethernet::Ethernet(const std::string &frames, const std::string &tap, const std::string &log, uint64_t patience)
    : patience_(patience) {
    if (!frames.empty()) read_script(frames);
    if (!tap.empty()) open_tap(tap);
    if (!log.empty() && !(log_ = fopen(log.c_str(), "wb"))) fail(log + ": " + strerror(errno));
}

Ethernet::~Ethernet() {
    if (log_) fclose(log_);
    if (tap_ >= 0) close(tap_);
}

void Ethernet::read_script(const std::string &file) {
    FILE *stream = fopen(file.c_str(), "rb");
    if (!stream) fail(file + ": " + strerror(errno));
    uint32_t head[2];  // after how many frames, bytes
    while (fread(head, sizeof head, 1, stream) == 1) {
        std::string bytes(head[1], 0);
        if (fread(bytes.data(), 1, bytes.size(), stream) != bytes.size()) fail(file + ": its last frame is cut");
        script_.push_back({head[0], bytes});
    }
    fclose(stream);
}

void Ethernet::open_tap(const std::string &name) {
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    tap_ = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (tap_ < 0 || ioctl(tap_, TUNSETIFF, &request)) fail("--eth-tap " + name + ": " + strerror(errno));
}

void Ethernet::log(uint64_t first, uint64_t last, const std::string &bytes, bool from_machine) {
    active_ = last;
    if (!log_) return;
    Logged head{first, last, uint32_t(bytes.size()), from_machine};
    fwrite(&head, sizeof head, 1, log_);
    fwrite(bytes.data(), 1, bytes.size(), log_);
}

// A frame has come from the machine.
void Ethernet::came(uint64_t last) {
    arrived_++;
    log(coming_since_, last, coming_, true);
    size_t around = kPreamble.size() + checksum("").size();
    if (tap_ >= 0 && coming_.size() > around) {
        std::string inner = coming_.substr(kPreamble.size(), coming_.size() - around);
        if (coming_ == kPreamble + inner + checksum(inner) && write(tap_, inner.data(), inner.size()) < 0 &&
            errno != EIO && errno != EAGAIN)
            fail(std::string("--eth-tap: ") + strerror(errno));
    }
    coming_.clear();
}

Ethernet::Pins Ethernet::step(uint64_t cycle, Pins sent) {
    if (sent.valid) {
        if (coming_.empty()) coming_since_ = cycle;
        coming_ += char(sent.byte);
    } else if (!coming_.empty()) {
        came(cycle - 1);
    }
    if (script_.empty() || cycle < free_ || arrived_ < script_.front().after) return {false, 0};
    const std::string &bytes = script_.front().bytes;
    if (bytes.empty()) {
        ended_ = true;
        return {false, 0};
    }
    if (!going_) begun_ = cycle + 1;
    going_ = true;
    Pins next{true, uint8_t(bytes[at_++])};
    if (at_ == bytes.size()) {
        log(begun_, cycle + 1, bytes, false);
        free_ = cycle + 1 + kGap + (tap_ >= 0 ? bytes.size() * kTapByteCycles : 0);
        script_.pop_front();
        going_ = false;
        at_ = 0;
    }
    return next;
}

void Ethernet::poll() {
    char buffer[kMostFromTap];
    ssize_t got;
    while (tap_ >= 0 && script_.size() < kMostWaiting && (got = read(tap_, buffer, sizeof buffer)) > 0) {
        std::string inner(buffer, got);
        if (inner.size() < kLeast) inner.resize(kLeast, 0);
        script_.push_back({0, kPreamble + inner + checksum(inner)});
    }
}
