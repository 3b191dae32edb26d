// The outer end of the SoC's second UART: a line to another simulator, or to a program of the host, in lock-step.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

// Both ends simulate the same cycles. After every kQuantum cycles each end tells the other what it has sent
// (docs/sim.md, "Two machines"). A byte arrives kQuantum cycles after it was sent. So nothing depends on how fast
// either end runs.
class Link {
 public:
    using Stopped = std::function<bool()>;

    // `peer`: `listen:PATH` or `connect:PATH`, a Unix socket. Waits for the other end, unless `stopped`. `byte_cycles`:
    // the cycles that a byte takes on the line, the same at both ends.
    Link(const std::string &peer, uint32_t byte_cycles, Stopped stopped);
    ~Link();

    // Returns whether the line can take a byte in this cycle.
    bool ready(uint64_t cycle) const { return cycle >= next_; }
    void send(uint64_t cycle, uint8_t byte);

    // The byte that arrives in this cycle, or -1.
    int arrival(uint64_t cycle) const {
        return arrivals_.empty() || arrivals_.front().cycle > cycle ? -1 : arrivals_.front().byte;
    }
    // Removes the byte that has arrived. `taken` false: the UART had no room, and the byte is lost.
    void arrived(bool taken);

    // To be called at the end of each cycle. Returns false if `stopped`. Exits with a message if the other end sends
    // something that a line cannot carry.
    bool step(uint64_t cycle) { return (cycle + 1) % kQuantum || exchange(cycle + 1 - kQuantum); }
    // To be called when the program has ended: sends what is left and cuts the line.
    void end();

    uint64_t sent = 0, received = 0, lost = 0;

    static constexpr uint64_t kQuantum = 1000;

 private:
    struct Byte {
        uint64_t cycle;
        uint8_t byte;
    };

    void listen(const std::string &path);
    void connect(const std::string &path);
    void greet();
    bool exchange(uint64_t start);
    void push();
    bool pull(void *data, size_t bytes);  // false: stopped, or the other end is gone
    void cut();

    uint32_t byte_cycles_;
    Stopped stopped_;
    int socket_ = -1;
    uint64_t next_ = 0;      // the first cycle in which the line is free
    uint64_t earliest_ = 0;  // the first cycle in which the other end's next byte can arrive
    std::deque<Byte> arrivals_;
    std::string token_;  // the token of the quantum under way
};
