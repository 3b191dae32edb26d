/* phy SLIP FIRST LAST ...: trains a model of LiteDRAM's ECP5 PHY. Each of its modules (bytes of the data bus) reads
 * correctly only at bitslip SLIP and at the delays FIRST to LAST. Prints on standard error the final setting of each
 * module, and who controls the memory. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <generated/csr.h>
#include <generated/sdram_phy.h>

#include "platform/uart.h"
#include "sdram.h"

int dprintf(int file, const char *format, ...);

#define WORDS (SDRAM_PHY_DFI_DATABITS / 32)
#define PHASE_STRIDE (CSR_SDRAM_DFII_PI1_COMMAND_ADDR - CSR_SDRAM_DFII_PI0_COMMAND_ADDR)

struct module {
    int slip, first, last; /* the settings at which it works */
    int at_slip, at_delay;
};

struct phase {
    uint32_t command, address, bank, written[WORDS], read[WORDS];
};

static struct module modules[SDRAM_PHY_MODULES];
static struct phase phases[SDRAM_PHY_PHASES];
static uint32_t row[SDRAM_PHY_PHASES][WORDS]; /* the row that training uses */
static uint32_t selected, seen, control;
static bool open_row;

static bool works(const struct module *module) {
    return module->at_slip == module->slip && module->at_delay >= module->first && module->at_delay <= module->last;
}

static void read_burst(void) {
    for (int p = 0; p < SDRAM_PHY_PHASES; p++)
        for (int w = 0; w < WORDS; w++) {
            uint32_t wrong = 0;

            /* The bytes of the modules are interleaved. */
            for (int byte = 0; byte < 4; byte++)
                wrong |= works(&modules[byte % SDRAM_PHY_MODULES]) ? 0 : 0xa5u << 8 * byte;
            phases[p].read[w] = row[p][w] ^ wrong;
        }
    for (int m = 0; m < SDRAM_PHY_MODULES; m++) seen |= (uint32_t)works(&modules[m]) << m;
}

static void issue(const struct phase *phase) {
    uint32_t command = phase->command;
    bool ras = command & DFII_COMMAND_RAS, cas = command & DFII_COMMAND_CAS, we = command & DFII_COMMAND_WE;

    if (!(command & DFII_COMMAND_CS) || control & DFII_CONTROL_SEL) abort();
    if (ras && !cas) open_row = !we;
    if (cas && !ras && !open_row) abort();
    if (cas && !ras && we && command & DFII_COMMAND_WRDATA)
        for (int p = 0; p < SDRAM_PHY_PHASES; p++) memcpy(row[p], phases[p].written, sizeof(row[p]));
    if (cas && !ras && !we && command & DFII_COMMAND_RDDATA) read_burst();
}

static void adjust(unsigned long address) {
    for (int m = 0; m < SDRAM_PHY_MODULES; m++) {
        struct module *module = &modules[m];

        if (!(selected >> m & 1)) continue;
        switch (address) {
            case CSR_DDRPHY_RDLY_DQ_RST_ADDR:
                module->at_delay = 0;
                break;
            case CSR_DDRPHY_RDLY_DQ_INC_ADDR:
                module->at_delay = (module->at_delay + 1) % SDRAM_PHY_DELAYS;
                break;
            case CSR_DDRPHY_RDLY_DQ_BITSLIP_RST_ADDR:
                module->at_slip = 0;
                break;
            case CSR_DDRPHY_RDLY_DQ_BITSLIP_ADDR:
                module->at_slip = (module->at_slip + 1) % SDRAM_PHY_BITSLIPS;
                break;
        }
    }
}

/* Returns the phase that a register belongs to, and changes the address to that of the same register in phase 0.
 * Returns null if it belongs to none. */
static struct phase *phase_of(unsigned long *address) {
    unsigned long offset = *address - CSR_SDRAM_DFII_PI0_COMMAND_ADDR;

    if (*address < CSR_SDRAM_DFII_PI0_COMMAND_ADDR || offset >= PHASE_STRIDE * SDRAM_PHY_PHASES) return 0;
    *address = CSR_SDRAM_DFII_PI0_COMMAND_ADDR + offset % PHASE_STRIDE;
    return &phases[offset / PHASE_STRIDE];
}

void csr_write_simple(unsigned long value, unsigned long address) {
    struct phase *phase = phase_of(&address);

    if (phase && address == CSR_SDRAM_DFII_PI0_COMMAND_ADDR)
        phase->command = (uint32_t)value;
    else if (phase && address == CSR_SDRAM_DFII_PI0_COMMAND_ISSUE_ADDR)
        issue(phase);
    else if (phase && address >= CSR_SDRAM_DFII_PI0_WRDATA_ADDR && address < CSR_SDRAM_DFII_PI0_WRDATA_ADDR + 4 * WORDS)
        phase->written[(address - CSR_SDRAM_DFII_PI0_WRDATA_ADDR) / 4] = (uint32_t)value;
    else if (address == CSR_SDRAM_DFII_CONTROL_ADDR)
        control = (uint32_t)value;
    else if (address == CSR_DDRPHY_DLY_SEL_ADDR)
        selected = (uint32_t)value;
    else if (address == CSR_DDRPHY_BURSTDET_CLR_ADDR)
        seen = 0;
    else
        adjust(address);
}

unsigned long csr_read_simple(unsigned long address) {
    struct phase *phase = phase_of(&address);

    if (phase && address >= CSR_SDRAM_DFII_PI0_RDDATA_ADDR && address < CSR_SDRAM_DFII_PI0_RDDATA_ADDR + 4 * WORDS)
        return phase->read[(address - CSR_SDRAM_DFII_PI0_RDDATA_ADDR) / 4];
    if (address == CSR_SDRAM_DFII_CONTROL_ADDR) return control;
    if (address == CSR_DDRPHY_BURSTDET_SEEN_ADDR) return seen;
    abort();
}

void hw_uart_put(uint8_t byte) {
    if (write(STDOUT_FILENO, &byte, 1) != 1) _exit(2);
}

int main(int count, char **arguments) {
    if (count != 1 + 3 * SDRAM_PHY_MODULES) return 1;
    for (int m = 0; m < SDRAM_PHY_MODULES; m++)
        modules[m] =
            (struct module){atoi(arguments[1 + 3 * m]), atoi(arguments[2 + 3 * m]), atoi(arguments[3 + 3 * m]), 3, 5};
    sdram_start();
    for (int m = 0; m < SDRAM_PHY_MODULES; m++)
        dprintf(STDERR_FILENO, "%d %d ", modules[m].at_slip, modules[m].at_delay);
    dprintf(STDERR_FILENO, "%s\n", control == DFII_CONTROL_SEL ? "controller" : "software");
    return 0;
}
