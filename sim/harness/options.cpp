#include "options.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const char kUsage[] =
    R"(usage: heapwire-sim [option]...
  --load FILE              load an ELF into main memory
  --load ADDRESS=FILE      load a raw file at an address of main memory
  --dump ADDRESS:BYTES=FILE  write a range of main memory to a file at the end
  --directory DIR          where the ROM images (*.init) are; default: here
  --uart-port PORT         UART on a TCP port of this machine, 0: any; the port is printed
  --uart-turns N           its client and the program send frames in turn; time stands in the client's turn; give up
                           with exit code 124 if the program's takes more than N cycles
  --uart-input FILE        feed the UART with a file
  --uart-stdin             feed the UART with standard input
  --link listen:PATH|connect:PATH   the second UART's line, to another simulator, in lock-step; waits for it
  --link-byte-cycles N     cycles that a byte takes on it; default: 100
  --eth-frames FILE        Ethernet: sends a file's frames to the machine (docs/reference/sim.md, "Ethernet")
  --eth-patience N         gives up, with exit code 124, if no frame comes that this file waits for; default: 10000000
  --eth-tap NAME           Ethernet: joins the machine to that TAP of this host
  --eth-log FILE           writes the frames of both ways, with their cycles
  --jtag-port PORT         JTAG on a TCP port (OpenOCD's remote_bitbang), 0: any; waits for a client
  --max-cycles N           give up after N cycles, with exit code 124
  --until ADDRESS:N        end with exit code 0 when the core has executed the instruction at ADDRESS N times
  --report FILE            write exit code, reason, cycles and speed as JSON
  --trace FILE [--trace-start N] [--trace-end N]   FST waves (trace build only)
  --trace-window FIRST:LAST  instead of start and end, as often as there are windows, in order
  --all-clocks             clock sleeping units too: slower, same cycles
  --with-parent            end when the process that started the simulation ends
  --quiet                  no summary on standard error
Without --uart-port what the UART sends goes to standard output. The exit code is
what the program wrote to sim_finish (larger ones as 123), 124 after
--max-cycles, a turn of --uart-turns or --eth-patience, 125 for a usage or file error, 126 when
the model itself found a broken rule, 130 when interrupted.
)";

uint64_t number(const std::string &option, const std::string &text) {
    errno = 0;
    char *end = nullptr;
    uint64_t value = strtoull(text.c_str(), &end, 0);
    if (text.empty() || text[0] == '-' || *end || errno) fail(option + ": not a number: '" + text + "'");
    return value;
}

uint32_t number32(const std::string &option, const std::string &text) {
    uint64_t value = number(option, text);
    if (value > UINT32_MAX) fail(option + ": does not fit 32 bits: " + text);
    return value;
}

Options::Load load(const std::string &text) {
    size_t split = text.find('=');
    if (split == std::string::npos) return {text, true, 0};
    return {text.substr(split + 1), false, number32("--load", text.substr(0, split))};
}

Options::Dump dump(const std::string &text) {
    size_t colon = text.find(':'), split = text.find('=');
    if (colon == std::string::npos || split == std::string::npos || colon > split)
        fail("--dump: expected ADDRESS:BYTES=FILE, not '" + text + "'");
    return {number32("--dump", text.substr(0, colon)), number32("--dump", text.substr(colon + 1, split - colon - 1)),
            text.substr(split + 1)};
}

Options::Until occurrence(const std::string &text) {
    size_t colon = text.find(':');
    if (colon == std::string::npos) fail("--until: expected ADDRESS:N, not '" + text + "'");
    Options::Until found{number32("--until", text.substr(0, colon)), number("--until", text.substr(colon + 1))};
    if (!found.times) fail("--until: N must be at least 1");
    return found;
}

Options::Window window(const std::string &text, const std::vector<Options::Window> &before) {
    size_t colon = text.find(':');
    if (colon == std::string::npos) fail("--trace-window: expected FIRST:LAST, not '" + text + "'");
    Options::Window found{number("--trace-window", text.substr(0, colon)),
                          number("--trace-window", text.substr(colon + 1))};
    if (found.first > found.last) fail("--trace-window: FIRST is after LAST in '" + text + "'");
    if (!before.empty() && found.first <= before.back().last)
        fail("--trace-window: '" + text + "' is not behind the window before it");
    return found;
}

}  // namespace

void fail(const std::string &message) {
    fflush(stdout);
    fprintf(stderr, "heapwire-sim: %s\n", message.c_str());
    exit(kExitUsage);
}

Options Options::parse(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        std::string name = argv[i];
        auto value = [&]() -> std::string {
            if (++i == argc) fail(name + ": needs a value");
            return argv[i];
        };
        auto port = [&]() -> int {
            uint64_t given = number(name, value());
            if (given > 65535) fail(name + ": at most 65535");
            return given;
        };
        if (name == "--load")
            options.loads.push_back(load(value()));
        else if (name == "--dump")
            options.dumps.push_back(dump(value()));
        else if (name == "--directory")
            options.directory = value();
        else if (name == "--uart-port")
            options.uart_port = port();
        else if (name == "--uart-turns")
            options.uart_turns = number(name, value());
        else if (name == "--jtag-port")
            options.jtag_port = port();
        else if (name == "--uart-input")
            options.uart_input = value();
        else if (name == "--uart-stdin")
            options.uart_stdin = true;
        else if (name == "--link")
            options.link = value();
        else if (name == "--link-byte-cycles")
            options.link_byte_cycles = number32(name, value());
        else if (name == "--eth-frames")
            options.eth_frames = value();
        else if (name == "--eth-patience")
            options.eth_patience = number(name, value());
        else if (name == "--eth-tap")
            options.eth_tap = value();
        else if (name == "--eth-log")
            options.eth_log = value();
        else if (name == "--max-cycles")
            options.max_cycles = number(name, value());
        else if (name == "--until")
            options.until = occurrence(value());
        else if (name == "--report")
            options.report = value();
        else if (name == "--trace")
            options.trace = value();
        else if (name == "--trace-start")
            options.trace_start = number(name, value());
        else if (name == "--trace-end")
            options.trace_end = number(name, value());
        else if (name == "--trace-window")
            options.trace_windows.push_back(window(value(), options.trace_windows));
        else if (name == "--all-clocks")
            options.all_clocks = true;
        else if (name == "--with-parent")
            options.with_parent = true;
        else if (name == "--quiet")
            options.quiet = true;
        else if (name == "--help") {
            fputs(kUsage, stdout);
            exit(0);
        } else
            fail("unknown option '" + name + "'; --help lists them");
    }
    if (!options.trace_windows.empty() &&
        (options.trace.empty() || options.trace_start != 0 || options.trace_end != UINT64_MAX))
        fail("--trace-window: it is for --trace, without --trace-start and --trace-end");
    if ((options.uart_port >= 0) + !options.uart_input.empty() + options.uart_stdin > 1)
        fail("--uart-port, --uart-input and --uart-stdin exclude each other");
    if (!options.eth_frames.empty() && !options.eth_tap.empty()) fail("--eth-frames and --eth-tap exclude each other");
    if (options.uart_turns && options.uart_port < 0) fail("--uart-turns: it is for --uart-port");
    return options;
}
