// The outer end of the SoC's second UART: a line to another simulator, or to a program of the host, in lock-step.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

// Both ends run the same cycles. After every kQuantum of them each tells the other what it has sent (docs/sim.md, "Two machines"); a
// byte arrives kQuantum cycles after it was sent. So nothing depends on how fast either of them runs.
class Link {
  public:
    using Stopped = std::function<bool()>;

    // `peer`: `listen:PATH` or `connect:PATH`, a Unix socket. Waits for the other end, unless `stopped`. `byte_cycles`: cycles that a byte
    // takes on the line, the same at both ends.
    Link(const std::string &peer, uint32_t byte_cycles, Stopped stopped);
    ~Link();

    // Whether the line takes a byte in this cycle.
    bool ready(uint64_t cycle) const { return cycle >= next_; }
    void send(uint64_t cycle, uint8_t byte);

    // The byte that arrives in this cycle, or -1.
    int arrival(uint64_t cycle) const { return arrivals_.empty() || arrivals_.front().cycle > cycle ? -1 : arrivals_.front().byte; }
    // It has; false: the UART had no room, and it is lost.
    void arrived(bool taken);

    // At the end of each cycle. False: `stopped`. Exits with a message if what the other end sends is nothing that a line carries.
    bool step(uint64_t cycle) { return (cycle + 1) % kQuantum || exchange(cycle + 1 - kQuantum); }
    // The program has ended: what it sent goes out, and the line is cut.
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
    uint64_t next_ = 0;      // cycle in which the line is free
    uint64_t earliest_ = 0;  // ... in which the other end's next byte can arrive
    std::deque<Byte> arrivals_;
    std::string token_;  // of the quantum under way
};
