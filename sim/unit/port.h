// For harness.cpp alone. The port of a TileLink master on the memory: answers its requests, late and in any order, and
// checks that the master obeys the bus's rules and keeps to what the command owns.
#ifndef HEAPWIRE_UNIT_PORT_H
#define HEAPWIRE_UNIT_PORT_H

#include <cstdio>
#include <cstring>

#include "memory.h"

namespace {

constexpr uint32_t Params = 8;  // values of a request's param

// One path for all masters: the master that has each direction, -1 for none. A burst keeps its direction.
bool shared = false;
int requester = -1, responder = -1;

struct Pending {
    uint64_t due;
    uint32_t source, size, address, param;
    bool put, denied;
    std::vector<uint8_t> data, mask;
    bool late = false;  // written only when it is answered
};

// What channel A shows.
struct Offer {
    uint32_t opcode, param, source, size, address, mask;
    uint8_t data[DataBytes];
};

// The port of one TileLink master: pointers to the fields of its channels.
struct Port {
    const char *name;
    uint8_t *aValid, *aReady, *aOpcode, *aParam, *aSource, *aSize;
    uint8_t *dValid, *dReady, *dOpcode, *dSource, *dSize, *dDenied;
    uint32_t *aAddress;
    const uint8_t *aMask8 = nullptr;
    const uint16_t *aMask16 = nullptr;
    const void *aData = nullptr;
    void *dData = nullptr;
    uint8_t *dCorrupt = nullptr;
    uint32_t self = 0;       // this master, as a bit
    bool scattered = false;  // two Puts to a block may be in flight if they write different bytes
    bool ordered = false;    // a read sees this master's earlier writes, answered or not, as in the shared cache

    std::vector<Pending> pending;
    Pending gathering;
    uint32_t gathered = 0;
    // This command's requests, by their param.
    uint32_t gets[Params] = {}, puts[Params] = {};
    // The request was not taken in the last cycle. A master must not change it or withdraw it.
    bool waits = false;
    Offer offer;
    // The response that is being sent.
    bool sending = false;
    Pending response;
    uint32_t sent = 0;
    bool offered = false;

    void violation(const char *text) {
        fprintf(stderr, "%s: %s\n", name, text);
        violations++;
    }
    Offer offering() const {
        Offer now{*aOpcode, *aParam, *aSource, *aSize, *aAddress, 0, {}};
        if (aMask16) now.mask = *aMask16;
        if (aMask8) now.mask = *aMask8;
        if (aData) memcpy(now.data, aData, DataBytes);
        return now;
    }
    void stay() {
        if (waits && !*aValid) violation("a request is withdrawn");
        if (waits && *aValid) {
            const Offer now = offering();
            if (memcmp(&now, &offer, sizeof now)) violation("a request changes while it waits");
        }
        waits = *aValid && !*aReady;
        if (waits) offer = offering();
    }
    // Carries out a late write, once.
    static void store(Pending &p) {
        for (uint32_t i = 0; p.late && !p.denied && i < p.mask.size(); i++)
            if (p.mask[i]) memory[p.address + i - MemoryBase] = p.data[i];
        p.late = false;
    }
    void accept() {
        const bool put = *aOpcode != 4;
        const uint32_t bytes = 1u << *aSize, address = *aAddress;
        if (address % bytes || bytes > BlockBytes) violation("misaligned or too large");
        if (!put && !owns(address, bytes, &Range::readers, self)) {
            strays++;
            fprintf(stderr, "%s: reads %u bytes at 0x%08x, which the command does not own\n", name, bytes, address);
        }
        if (gathered == 0) {
            gathering = Pending{0, *aSource, *aSize, address, *aParam, put, !inMemory(address, bytes), {}, {}};
            (put ? puts : gets)[*aParam % Params]++;
            for (auto &p : pending) {
                if (p.source == *aSource) violation("source in use");
                if (put && p.put && !scattered && p.address / BlockBytes == address / BlockBytes)
                    violation("two puts to a block");
            }
            if (sending && response.source == *aSource) violation("source in use");
        } else if (gathering.address != address || gathering.source != *aSource || gathering.size != *aSize ||
                   gathering.param != *aParam) {
            violation("a burst changed");
        }
        if (put) {
            const uint32_t lane = (address + gathered) % DataBytes, count = bytes < DataBytes ? bytes : DataBytes;
            const uint32_t mask = aMask16 ? *aMask16 : *aMask8;
            for (uint32_t i = 0; i < count; i++) {
                gathering.data.push_back(static_cast<const uint8_t *>(aData)[lane + i]);
                gathering.mask.push_back(mask >> (lane + i) & 1);
                if (*aOpcode == 0 && !(mask >> (lane + i) & 1)) violation("a hole in a full put");
            }
            gathered += count;
            if (gathered < bytes) return;
        }
        gathered = 0;
        if (ordered && !put)
            for (auto &p : pending) store(p);
        // If one master reads and another writes, either may come first until both are answered.
        if (!put && !gathering.denied && scattering && lucky())
            gathering.data.assign(&memory[address - MemoryBase], &memory[address - MemoryBase] + bytes);
        gathering.late = put && scattered && stall && (dice() & 1);
        gathering.due = now + latencyLow + (latencyHigh > latencyLow ? dice() % (latencyHigh - latencyLow + 1) : 0);
        if (address / BlockBytes == lateBlock / BlockBytes) gathering.due += lateCycles;
        if (put) {
            for (auto &p : pending)
                for (uint32_t i = 0; p.put && i < p.mask.size(); i++) {
                    const uint32_t at = p.address + i - address;
                    if (p.mask[i] && at < bytes && gathering.mask[at]) violation("two puts to a byte");
                }
            for (uint32_t i = 0; i < bytes; i++) {
                if (!gathering.mask[i]) continue;
                outside += !owns(address + i, 1, &Range::writers, self);
                if (!gathering.denied && !gathering.late) memory[address + i - MemoryBase] = gathering.data[i];
            }
        }
        pending.push_back(gathering);
    }
    // Chooses the inputs of the next cycle.
    void drive(int self) {
        *aReady = (!shared || requester == self) && lucky();
        if (!sending && !(shared && responder >= 0)) {
            std::vector<size_t> due;
            for (size_t i = 0; i < pending.size(); i++)
                if (pending[i].due <= now) due.push_back(i);
            if (!due.empty()) {
                const size_t pick = stall ? due[dice() % due.size()] : due[0];
                response = pending[pick];
                pending.erase(pending.begin() + pick);
                sending = true;
                responder = self;
                sent = 0;
                offered = false;
                store(response);
                if (!response.put && !response.denied && response.data.empty()) {
                    const uint32_t bytes = 1u << response.size;
                    response.data.assign(&memory[response.address - MemoryBase],
                                         &memory[response.address - MemoryBase] + bytes);
                }
            }
        }
        if (sending && (offered || lucky())) {
            offered = true;
            *dValid = 1;
            *dOpcode = response.put ? 0 : 1;
            *dSource = response.source;
            *dSize = response.size;
            *dDenied = response.denied;
            if (dCorrupt) *dCorrupt = !response.put && response.denied;
            if (!response.put && dData) {
                uint8_t *data = static_cast<uint8_t *>(dData);
                const uint32_t bytes = 1u << response.size, lane = (response.address + sent) % DataBytes;
                for (uint32_t i = 0; i < DataBytes; i++) data[i] = dice();
                for (uint32_t i = 0; i < DataBytes && i < bytes; i++)
                    data[lane + i] = response.denied ? dice() : response.data[sent + i];
            }
        } else {
            *dValid = 0;
        }
    }
    // Samples the outputs once they have settled, before the clock edge.
    void sample() {
        stay();
        if (*aValid && *aReady) {
            moved = now;
            accept();
        }
        if (*dValid && *dReady) {
            moved = now;
            offered = false;
            sent += DataBytes;
            if (response.put || sent >= (1u << response.size)) {
                sending = false;
                responder = -1;
            }
        }
    }
    // Counts requests from here on.
    void count() {
        for (uint32_t i = 0; i < Params; i++) gets[i] = puts[i] = 0;
    }
    void reset() {
        pending.clear();
        sending = offered = waits = false;
        gathered = 0;
        *dValid = 0;
    }
};

}  // namespace

#endif
