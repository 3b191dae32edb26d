// The JTAG pins of the simulated SoC, for a debugger on a TCP port that speaks OpenOCD's
// remote_bitbang: one character a command, `0`..`7` sets TCK, TMS and TDI (bits 2, 1, 0),
// `R` asks for TDO, `Q` leaves. Reset characters do nothing: there are no such pins.
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

    // Whether a client is or was there. Until then the simulation does not start, so that a
    // debugger that comes first sees the first instruction.
    bool attached();

    // The pins for the coming cycle: they change at most once a cycle, so that the SoC's clock
    // sees every level of TCK. `tdo` is the pin as the last change left it.
    const Pins &step(uint64_t cycle, bool tdo);

  private:
    void poll();

    int listener_, client_ = -1;
    std::string input_, output_;
    size_t next_ = 0;  // of input_
    uint64_t busy_ = 0;  // last cycle with a command
    Pins pins_{false, true, false};
};
