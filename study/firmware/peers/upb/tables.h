/* The mini tables of a program's messages, by which upb reads and writes. They are built when the first one is asked
 * for, from mini descriptors that the host has made (study/bench/upb.py). */
#ifndef HW_PEERS_UPB_TABLES_H
#define HW_PEERS_UPB_TABLES_H

#include <stdbool.h>
#include <stdint.h>

/* The type of a field: a message, or a closed enum. */
struct upb_peer_link {
    uint32_t field; /* its number */
    uint32_t type;  /* index among the types */
};

struct upb_peer_type {
    const char *name; /* full name of a message */
    const char *descriptor;
    uint32_t length;
    const struct upb_peer_link *links;
    uint32_t link_count;
};

/* Messages, and behind them closed enums: a generated table. */
extern const struct upb_peer_type upb_peer_types[];
extern const uint32_t upb_peer_messages, upb_peer_enums;

/* Returns the mini table of a message, by its full name, or NULL. checked: strings must be UTF-8 where the schema says
 * so; otherwise nowhere. */
const struct upb_MiniTable *upb_peer_table(const char *name, bool checked);

#endif
