// Command line of the simulator: what to load, run, connect, dump and report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct Options {
    struct Load {
        std::string file;
        bool elf;          // addresses come from the file
        uint32_t address;  // of a raw file
    };
    struct Dump {
        uint32_t address;
        uint32_t bytes;
        std::string file;
    };

    struct Until {
        uint32_t address = 0;
        uint64_t times = 0;  // 0: never
    };
    struct Window {
        uint64_t first, last;  // cycles
    };

    std::vector<Load> loads;
    std::vector<Dump> dumps;
    std::string directory;    // working directory with the ROM's *.init files
    std::string uart_input;   // file whose bytes are offered from the first cycle on
    int uart_port = -1;       // TCP port; 0: any free one
    uint64_t uart_turns = 0;  // its client and the program take turns; most cycles of the program's; 0: no turns
    int jtag_port = -1;       // TCP port of the JTAG pins; 0: any free one
    std::string link;         // listen:PATH or connect:PATH: the other end of the second UART's line
    uint32_t link_byte_cycles = 100;           // cycles that a byte takes on this line
    std::string eth_frames, eth_tap, eth_log;  // the other end of the Ethernet PHY
    uint64_t eth_patience = 10'000'000;        // cycles that the file of frames waits for one from the machine
    bool uart_stdin = false;                   // terminal: standard input as it arrives
    uint64_t max_cycles = UINT64_MAX;
    Until until;         // ends when the core has executed the instruction at this address so many times
    std::string report;  // JSON: exit code, reason, cycles, speed
    std::string trace;   // FST file
    uint64_t trace_start = 0;
    uint64_t trace_end = UINT64_MAX;
    std::vector<Window> trace_windows;  // instead of trace_start and trace_end; in order
    bool all_clocks = false;            // clock sleeping units too
    bool with_parent = false;           // end when the process that started this one ends
    bool quiet = false;

    // Exits with code 125 and a message on a mistake, with 0 after --help.
    static Options parse(int argc, char **argv);
};

// Exit codes of the simulator beside those of the program (0..kExitProgramMax).
constexpr int kExitProgramMax = 123;  // larger program codes are reported as this
constexpr int kExitMaxCycles = 124;   // or --uart-turns
constexpr int kExitUsage = 125;
constexpr int kExitModel = 126;  // the model itself found a violated rule and has reported it
constexpr int kExitInterrupted = 130;

// Prints `heapwire-sim: message` and exits with kExitUsage.
[[noreturn]] void fail(const std::string &message);
