#include "memory.h"

#include <elf.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "options.h"

namespace {

std::vector<uint8_t> read_file(const std::string &file) {
    FILE *stream = fopen(file.c_str(), "rb");
    if (!stream) fail(file + ": " + strerror(errno));
    std::vector<uint8_t> data;
    uint8_t buffer[65536];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, stream)) > 0) data.insert(data.end(), buffer, buffer + got);
    bool bad = ferror(stream);
    fclose(stream);
    if (bad) fail(file + ": cannot be read");
    return data;
}

}  // namespace

uint8_t *Memory::at(const std::string &what, uint64_t address, uint64_t bytes) const {
    if (address >= base_ && address + bytes <= base_ + bytes_) return storage_ + (address - base_);
    char text[128];
    snprintf(text, sizeof text, ": 0x%llx..0x%llx is not in main memory (0x%x..0x%llx)", (unsigned long long)address,
             (unsigned long long)(address + bytes), base_, (unsigned long long)(base_ + bytes_));
    fail(what + text);
}

void Memory::load_raw(const std::string &file, uint32_t address) {
    std::vector<uint8_t> data = read_file(file);
    memcpy(at(file, address, data.size()), data.data(), data.size());
}

void Memory::load_elf(const std::string &file) {
    std::vector<uint8_t> data = read_file(file);
    Elf32_Ehdr header;
    if (data.size() < sizeof header || memcmp(data.data(), ELFMAG, SELFMAG))
        fail(file + ": not an ELF file; a raw one needs its address: --load ADDRESS=" + file);
    memcpy(&header, data.data(), sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        header.e_machine != EM_RISCV)
        fail(file + ": not an ELF for little-endian RV32");
    if (header.e_phentsize != sizeof(Elf32_Phdr) ||
        header.e_phoff + uint64_t(header.e_phnum) * sizeof(Elf32_Phdr) > data.size())
        fail(file + ": damaged program headers");
    for (int i = 0; i < header.e_phnum; i++) {
        Elf32_Phdr segment;
        memcpy(&segment, data.data() + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
        if (uint64_t(segment.p_offset) + segment.p_filesz > data.size() || segment.p_filesz > segment.p_memsz)
            fail(file + ": a segment ends outside the file");
        uint8_t *target = at(file, segment.p_paddr, segment.p_memsz);
        memcpy(target, data.data() + segment.p_offset, segment.p_filesz);
        memset(target + segment.p_filesz, 0, segment.p_memsz - segment.p_filesz);
    }
}
