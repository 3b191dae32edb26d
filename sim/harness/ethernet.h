// The other end of the Ethernet PHY: frames of a file, or a TAP of this host.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>

// A byte goes each way in each cycle. A frame has its preamble and its checksum (FCS) on the line.
class Ethernet {
 public:
    // Frames that come from the machine go to the file `log`, if it is named, and those that go to it, too: for each a
    // `Logged` and its bytes. docs/reference/sim.md, "Ethernet".
    struct Logged {
        uint64_t first, last;  // the cycles of its first and of its last byte
        uint32_t bytes;
        uint32_t from_machine;
    };
    struct Pins {
        bool valid;
        uint8_t byte;
    };

    // `frames`: a file, each frame of which goes to the machine when as many frames as it says have come from there.
    // An empty one ends the simulation. `tap`: the name of a TAP, which exists. Either may be empty.
    Ethernet(const std::string &frames, const std::string &tap, const std::string &log, uint64_t patience);
    ~Ethernet();

    // Takes what the machine sends in this cycle. Returns what comes to it in the next one.
    Pins step(uint64_t cycle, Pins sent);
    // Exchanges frames with the TAP; to be called now and then.
    void poll();

    // Whether the file's end has been reached.
    bool ended() const { return ended_; }
    // Whether the file waits for a frame from the machine, and too long.
    bool gave_up(uint64_t cycle) const { return !script_.empty() && !going_ && cycle - active_ > patience_; }

 private:
    struct Frame {
        uint32_t after;  // sent when so many frames have come
        std::string bytes;
    };

    void read_script(const std::string &file);
    void open_tap(const std::string &name);
    void came(uint64_t last);
    void log(uint64_t first, uint64_t last, const std::string &bytes, bool from_machine);

    std::deque<Frame> script_;  // what goes to the machine
    bool going_ = false, ended_ = false;
    size_t at_ = 0;       // the byte of the first frame that is next
    uint64_t begun_ = 0;  // the cycle of its first byte
    uint64_t free_ = 0;   // the first cycle in which a frame may begin
    std::string coming_;  // the frame that comes
    uint64_t coming_since_ = 0;
    uint64_t arrived_ = 0;  // frames that have come
    uint64_t active_ = 0;   // the latest cycle in which a frame has ended
    uint64_t patience_;
    int tap_ = -1;
    FILE *log_ = nullptr;
};
