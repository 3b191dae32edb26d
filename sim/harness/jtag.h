// The JTAG pins of the simulated SoC, for a debugger on a TCP port. The protocol is OpenOCD's remote_bitbang, one
// character a command: `0`..`7` set TCK, TMS and TDI (bits 2, 1, 0), `R` asks for TDO, `Q` leaves. Reset commands do
// nothing, because there are no such pins.
#pragma once

#include <cstdint>
#include <string>

class Jtag {
 public:
    struct Pins {
        bool tck, tms, tdi;
    };

    // Prints `jtag: tcp port N`.
    explicit Jtag(int port);

    // Returns whether a client is or was connected. The simulation does not start before, so that a debugger sees the
    // first instruction.
    bool attached();

    // The pins for the next cycle. They change at most once a cycle, so that the SoC's clock samples every level of
    // TCK. `tdo` is the pin after the last change.
    const Pins &step(uint64_t cycle, bool tdo);

 private:
    void poll();

    int listener_, client_ = -1;
    std::string input_, output_;
    size_t next_ = 0;    // index into input_
    uint64_t busy_ = 0;  // the last cycle with a command
    Pins pins_{false, true, false};
};
