// The simulator: the Verilated SoC with its clocks, memory images, UART, JTAG and the end of the simulation.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <verilated.h>

#include <chrono>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>

#include "Vsoc.h"
#include "Vsoc___024root.h"
#include "ethernet.h"
#include "facts.h"
#include "jtag.h"
#include "link.h"
#include "memory.h"
#include "options.h"
#include "uart.h"
#if VM_TRACE
#include <verilated_fst_c.h>
#endif

namespace {

constexpr int kResetCycles = 8;
constexpr uint64_t kPollCycles = 512;
constexpr int kWaitMicroseconds = 5000;
constexpr int kDmaCycles = 100000;  // most cycles that a DMA access may take

volatile sig_atomic_t interrupted = 0;

Memory main_memory(Vsoc &soc) {
    auto &storage = soc.rootp->heapwire_soc__DOT__dram_model__DOT__storage;
    static_assert(sizeof storage == kMemoryBytes, "the DRAM model and soc.json disagree on the memory's size");
    return Memory(reinterpret_cast<uint8_t *>(&storage[0]), kMemoryBase, kMemoryBytes);
}

// Writes the FST file for the cycles of the windows. Does nothing in a build without tracing.
class Tracer {
 public:
#if VM_TRACE
    Tracer(Vsoc &soc, const Options &options) : windows_(options.trace_windows) {
        if (options.trace.empty()) return;
        if (windows_.empty()) windows_.push_back({options.trace_start, options.trace_end});
        Verilated::traceEverOn(true);
        file_ = std::make_unique<VerilatedFstC>();
        soc.trace(file_.get(), 99);
        file_->open(options.trace.c_str());
    }
    ~Tracer() {
        if (file_) file_->close();
    }
    void dump(uint64_t cycle, int half) {
        if (!file_) return;
        while (at_ < windows_.size() && cycle > windows_[at_].last) at_++;
        if (at_ < windows_.size() && cycle >= windows_[at_].first) file_->dump(cycle * 10 + half * 5);
    }

 private:
    std::unique_ptr<VerilatedFstC> file_;
    std::vector<Options::Window> windows_;
    size_t at_ = 0;
#else
    Tracer(Vsoc &, const Options &options) {
        if (!options.trace.empty()) fail("--trace: this simulator was built without tracing; use `make trace`");
    }
    void dump(uint64_t, int) {}
#endif
};

// Runs the model's initial blocks, which read the ROM images by relative names.
void start_model(Vsoc &soc, const std::string &directory) {
    int here = open(".", O_RDONLY | O_DIRECTORY);
    if (!directory.empty() && chdir(directory.c_str())) fail(directory + ": " + strerror(errno));
    if (access(kRomImage, R_OK))
        fail((directory.empty() ? "." : directory) + "/" + kRomImage + ": not there; give its folder with --directory");
    soc.sys_rst = 1;
    soc.eval();
    if (here < 0 || fchdir(here)) fail("cannot return to the working directory");
    close(here);
}

// The SoC's clocks. A unit's clock rises only while the unit is awake, so that sleeping units cost no time; with `all`
// it always rises. A unit clock of half the rate rises with every second edge of the system clock and falls with the
// edges between.
class Clocks {
 public:
    Clocks(Vsoc &soc, bool all) : soc_(soc), all_(all) {}
    void rise() {
        bool rises = edge_++ % kUnitClockDivider == 0;
        soc_.unit_clk = !rises ? 0 : all_ ? kAll : soc_.unit_awake;
        soc_.sys_clk = 1;
        soc_.eval();
    }
    void fall() {
        if (kUnitClockDivider == 1) soc_.unit_clk = 0;
        soc_.sys_clk = 0;
        soc_.eval();
    }

 private:
    // Without bits that the port does not have, for which Verilator would see an edge every time.
    static constexpr uint64_t kAll = (uint64_t(1) << kUnitClocks) - 1;
    Vsoc &soc_;
    bool all_;
    uint64_t edge_ = 0;
};

struct End {
    const char *reason;
    uint32_t code;
    int exit;
};

// The pins of the second UART, between two rising edges. Without a line, sent bytes vanish.
class LinkPins {
 public:
    LinkPins(Vsoc &soc, Link *link) : soc_(soc), link_(link) { soc_.link_source_ready = !link; }
    // Handles what the next clock edge transfers.
    void before(uint64_t cycle) {
        if (!link_ || cycle <= kResetCycles) return;
        if (soc_.link_source_valid && soc_.link_source_ready) link_->send(cycle, soc_.link_source_data);
        if (soc_.link_sink_valid) link_->arrived(soc_.link_sink_ready);
    }
    // Sets the pins for the next cycle. Returns false if stopped.
    bool after(uint64_t cycle) {
        if (!link_) return true;
        bool going = link_->step(cycle);
        int byte = link_->arrival(cycle + 1);
        soc_.link_source_ready = link_->ready(cycle + 1);
        soc_.link_sink_valid = byte >= 0;
        if (byte >= 0) soc_.link_sink_data = byte;
        return going;
    }

 private:
    Vsoc &soc_;
    Link *link_;
};

// The pins of the Ethernet PHY, of a SoC that has one.
template <class Soc>
bool exchange(Soc &soc, Ethernet &ethernet, uint64_t cycle) {
    if constexpr (kEthernet) {
        Ethernet::Pins next = ethernet.step(cycle, {cycle > kResetCycles && soc.eth_tx_en, soc.eth_tx_data});
        soc.eth_rx_dv = next.valid;
        soc.eth_rx_data = next.byte;
        if (cycle % kPollCycles == 0) ethernet.poll();
    }
    return !ethernet.ended();
}

// Whether the core's last stage finishes the instruction at `address` at the next edge. LiteX's own CPU does not tell.
template <class Root>
auto executes(const Root &root, uint32_t address, int) -> decltype(bool(
    root.heapwire_soc__DOT__HeapwireCluster__DOT__core__DOT__cpu_1__DOT__core__DOT__lastStageIsFiring)) {
    return root.heapwire_soc__DOT__HeapwireCluster__DOT__core__DOT__cpu_1__DOT__core__DOT__lastStageIsFiring &&
           root.heapwire_soc__DOT__HeapwireCluster__DOT__core__DOT__cpu_1__DOT__core__DOT__lastStagePc == address;
}
template <class Root>
bool executes(const Root &, uint32_t, long) {
    return false;
}

// Runs to the end. If `jtag` is not null, waits for a debugger first. `stopped` tells whether the simulation must end
// early.
End run(Vsoc &soc, Clocks &clocks, Uart &uart, Link *link, Ethernet *ethernet, Jtag *jtag, Tracer &tracer,
        uint64_t max_cycles, Options::Until until, const std::function<bool()> &stopped, uint64_t &cycle) {
    LinkPins line(soc, link);
    for (cycle = 0; jtag && !jtag->attached() && !stopped();) usleep(kWaitMicroseconds);
    soc.serial_source_ready = 1;
    for (cycle = 0; cycle < max_cycles; cycle++) {
        // The pins now show what the next edge will transfer.
        bool sent = soc.serial_source_valid && cycle > kResetCycles;
        uint8_t sent_data = soc.serial_source_data;
        bool taken = soc.serial_sink_valid && soc.serial_sink_ready;
        bool finished = soc.finish_valid && cycle > kResetCycles;
        line.before(cycle);
        if (until.times && executes(*soc.rootp, until.address, 0) && !--until.times) return {"reached", 0, 0};

        clocks.rise();
        tracer.dump(cycle, 0);
        if (sent) uart.send(sent_data);
        if (finished) {
            uint32_t code = soc.finish_code;
            return {"finish", code, code > kExitProgramMax ? kExitProgramMax : int(code)};
        }
        if (taken) uart.pop();
        if (cycle % kPollCycles == 0) {
            if (!uart.poll(cycle) || (ethernet && ethernet->gave_up(cycle))) return {"no-answer", 0, kExitMaxCycles};
            if (stopped()) return {"interrupted", 0, kExitInterrupted};
            if (Verilated::gotFinish()) return {"model", 0, kExitModel};
        }
        if (!line.after(cycle)) return {"interrupted", 0, kExitInterrupted};
        if (ethernet && !exchange(soc, *ethernet, cycle)) return {"frames", 0, 0};
        soc.sys_rst = cycle < kResetCycles;
        soc.serial_sink_valid = cycle > kResetCycles && uart.has_input();
        if (soc.serial_sink_valid) soc.serial_sink_data = uart.front();
        if (jtag && cycle > kResetCycles) {
            const Jtag::Pins &pins = jtag->step(cycle, soc.jtag_tdo);
            soc.jtag_tck = pins.tck;
            soc.jtag_tms = pins.tms;
            soc.jtag_tdi = pins.tdi;
        }

        clocks.fall();
        tracer.dump(cycle, 1);
    }
    return {"max-cycles", 0, kExitMaxCycles};
}

// Reads a range through the SoC's DMA port, which sees what the core and the units see. Returns false if the port does
// not answer because the cluster hangs.
bool dump(Vsoc &soc, Clocks &clocks, const Options::Dump &range) {
    FILE *stream = fopen(range.file.c_str(), "wb");
    if (!stream) fail(range.file + ": " + strerror(errno));
    uint64_t end = uint64_t(range.address) + range.bytes;
    bool answered = true;
    for (uint64_t word = range.address & ~3ull; word < end && answered; word += 4) {
        uint32_t data = 0;
        soc.dma_address = word >> 2;
        soc.dma_stb = 1;
        answered = false;
        for (int cycle = 0; cycle < kDmaCycles && !answered; cycle++) {
            clocks.fall();
            answered = soc.dma_ack || soc.dma_err;
            data = soc.dma_data;
            clocks.rise();
        }
        soc.dma_stb = 0;
        for (uint64_t byte = word; byte < word + 4 && answered; byte++)
            if (byte >= range.address && byte < end) fputc(data >> (byte - word) * 8, stream);
    }
    if (ferror(stream) || fclose(stream)) fail(range.file + ": cannot be written");
    return answered;
}

void report(const std::string &file, const End &end, uint64_t cycles, double seconds, const Link *link) {
    FILE *stream = fopen(file.c_str(), "w");
    if (!stream) fail(file + ": cannot be written");
    fprintf(stream, "{\"reason\": \"%s\", \"code\": %u, \"exit\": %d, \"cycles\": %" PRIu64 ", \"seconds\": %.3f",
            end.reason, end.code, end.exit, cycles, seconds);
    if (link)
        fprintf(stream, ", \"link\": {\"sent\": %" PRIu64 ", \"received\": %" PRIu64 ", \"lost\": %" PRIu64 "}",
                link->sent, link->received, link->lost);
    fputs("}\n", stream);
    fclose(stream);
}

}  // namespace

int main(int argc, char **argv) {
    Options options = Options::parse(argc, argv);
    pid_t parent = options.with_parent ? getppid() : 0;
    auto stopped = [parent] { return interrupted || (parent && getppid() != parent); };
    signal(SIGINT, [](int) { interrupted = 1; });
    signal(SIGTERM, [](int) { interrupted = 1; });
    Uart uart(options.uart_port, options.uart_turns, options.uart_input, options.uart_stdin, stopped);

    std::unique_ptr<Jtag> jtag;
    if (options.jtag_port >= 0) {
        if (strcmp(kDebug, "tap")) fail(std::string("--jtag-port: this SoC has no JTAG pins (debug: ") + kDebug + ")");
        jtag = std::make_unique<Jtag>(options.jtag_port);
    }

    auto soc = std::make_unique<Vsoc>();
    start_model(*soc, options.directory);
    Memory memory = main_memory(*soc);
    for (const auto &load : options.loads)
        load.elf ? memory.load_elf(load.file) : memory.load_raw(load.file, load.address);
    for (const auto &range : options.dumps) memory.check("--dump", range.address, range.bytes);
    Tracer tracer(*soc, options);
    Clocks clocks(*soc, options.all_clocks);

    std::unique_ptr<Link> link;
    if (!options.link.empty()) link = std::make_unique<Link>(options.link, options.link_byte_cycles, stopped);

    std::unique_ptr<Ethernet> ethernet;
    if (!options.eth_frames.empty() || !options.eth_tap.empty()) {
        if (!kEthernet) fail("--eth-frames, --eth-tap: this SoC has no Ethernet; use one of make sim ETHERNET=1");
        ethernet =
            std::make_unique<Ethernet>(options.eth_frames, options.eth_tap, options.eth_log, options.eth_patience);
    }

    auto started = std::chrono::steady_clock::now();
    uint64_t cycles = 0;
    End end = run(*soc, clocks, uart, link.get(), ethernet.get(), jtag.get(), tracer, options.max_cycles, options.until,
                  stopped, cycles);
    if (link) link->end();
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    uart.flush();
    for (const auto &range : options.dumps)
        if (!dump(*soc, clocks, range)) end = {"model", 0, kExitModel};
    if (!options.report.empty()) report(options.report, end, cycles, seconds, link.get());
    if (!options.quiet)
        fprintf(stderr, "heapwire-sim: %s, code %u, %" PRIu64 " cycles, %.2f s, %.3f M cycles/s\n", end.reason,
                end.code, cycles, seconds, cycles / seconds / 1e6);
    return end.exit;
}
