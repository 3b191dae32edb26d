/* The services of protos/: what both of them share. */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include "rpc/rpc.h"

extern struct hw_rpc_server server;
/* Of objects.c and structs.c: no file can include the messages of both models. */
extern const struct hw_rpc_service *const objects, *const structs;

/* Streams that are open until the program, or the client, ends them. */
#define STREAMS 8
struct stream {
    struct hw_rpc_writer writer;
    bool (*write)(struct hw_rpc_writer writer, int64_t value);
    int64_t next;
    uint32_t left;
};

extern uint32_t cancelled;

/* Keeps a stream of `left` numbers. Returns false if there are too many. */
bool stream_keep(const struct stream *stream);
uint32_t streams_open(void);

/* To be called whenever nothing else is to be done: sends the next number of each stream. */
void streams_go_on(void);

/* Starts heap and server, with the tables of both services' messages. Returns false if that fails. */
bool device_start(void *schema, uint32_t bytes);

/* The channels of the device's line. */
extern const uint32_t channels[2];

#endif
