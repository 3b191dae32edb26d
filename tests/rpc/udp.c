/* The device on the SoC's Ethernet. The MAC's interrupt says when it has frames. */
#include "rpc/udp.h"

#include <generated/csr.h>
#include <generated/soc.h>

#include "device.h"
#include "platform/trap.h"
#include "programs/program.h"

static struct hw_rpc_udp clients;
static volatile bool came;

static void take(const struct hw_udp_address *from, const uint8_t *data, uint32_t length) {
    hw_rpc_udp_take(&clients, from, data, length);
}

static void wake(void) {
    came = true;
    ethmac_sram_writer_ev_enable_write(0);
}

int main(void) {
    static const uint8_t mac[6] = {2, 0, 0, 0, 0, 1};

    if (!hw_udp_present() || !device_start(program_schema, program_schema_length)) return 1;
    hw_rpc_udp_open(&clients, &server, hw_udp_send);
    clients.channels = channels;
    clients.channel_count = 2;
    hw_interrupt_attach(ETHMAC_INTERRUPT, wake);
    hw_udp_open(mac, HW_UDP_IP(192, 168, 7, 2), 7000);
    for (came = true;; streams_go_on()) {
        if (!came) continue;
        came = false;
        while (hw_udp_poll(take));
        ethmac_sram_writer_ev_enable_write(1);
    }
}
