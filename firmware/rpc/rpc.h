/* A server of pw_rpc (docs/howto/rpc.md): remote calls of a program's C functions, whose messages are managed objects
 * or nanopb's structs. protoc-gen-heapwire writes NAME.rpc.h or NAME.rpc_nanopb.h of the services in NAME.proto.
 *
 *   static uint8_t input[1500], output[1500];
 *   static const struct hw_rpc_service *const services[] = {&shop_Counter};
 *   hw_rpc_open(&server, services, 1, output, sizeof output);
 *   hw_rpc_hdlc_open(&line, &server, input, sizeof input, hw_uart_put);      rpc/hdlc.h
 *   for (;;)
 *       if (hw_uart_take(&byte)) hw_rpc_hdlc_take(&line, byte);
 *
 * Everything runs in the caller's loop, one handler at a time. A handler returns the status that ends its call, or
 * HW_RPC_OPEN if the call goes on. A handler of a stream is given a writer, which it may keep: it names the call, and
 * does nothing once the call has ended.
 */
#ifndef HW_RPC_RPC_H
#define HW_RPC_RPC_H

#include <stdbool.h>
#include <stdint.h>

#include "rpc/status.h"
#include "runtime/message.h"

#ifndef HW_RPC_CALLS
#define HW_RPC_CALLS 16 /* most calls of streams that are open at a time; another link's is ended for one more */
#endif

struct hw_rpc_call;
struct hw_rpc_server;

/* A call. It may be copied and kept. */
struct hw_rpc_writer {
    struct hw_rpc_call *call;
    uint32_t serial; /* of the call that it names: places of calls are used again */
};

/* Bit 0: the server sends a stream; bit 1: the client does. */
enum hw_rpc_kind { HW_RPC_UNARY, HW_RPC_SERVER_STREAM, HW_RPC_CLIENT_STREAM, HW_RPC_BIDIRECTIONAL };

/* A generated function around one of the program's. The messages are what the model says: handles, or structs. The
 * function may put another message in place of the empty `*response`. */
typedef enum hw_rpc_status hw_rpc_handler(struct hw_rpc_writer writer, void *request, void **response);

struct hw_rpc_method {
    uint32_t id;
    enum hw_rpc_kind kind;
    const void *request, *response; /* the types, as the model has them */
    hw_rpc_handler *open;           /* a call of a client's stream has begun; NULL: nothing to do */
    hw_rpc_handler *message;        /* a message of the client; the only one, if it sends no stream */
    hw_rpc_handler *end;            /* the client wants no more; NULL: the call ends with OK */
    hw_rpc_handler *cancelled;      /* the client, or an error, ends the call; NULL: nothing to do */
};

struct hw_rpc_service {
    uint32_t id;
    const struct hw_rpc_model *model;
    const struct hw_rpc_method *methods;
    uint32_t count;
};

/* How messages are held: managed.c, nanopb/model.c. */
struct hw_rpc_model {
    /* Begin and end a handler, and with it the life of its messages. */
    uintptr_t (*begin)(void);
    void (*end)(uintptr_t begun);
    /* Returns OK, or what the handler has failed in without saying so. */
    enum hw_rpc_status (*failure)(void);
    /* Returns the payload as a message; NULL, and why, if it is none or there is no room. */
    void *(*read)(const void *type, const uint8_t *payload, uint32_t length, enum hw_rpc_status *why);
    /* Returns an empty message, or NULL if there is no room. */
    void *(*make)(const void *type);
    /* Writes a message into the `size` bytes at `output`. */
    bool (*write)(const void *type, void *message, uint8_t *output, uint32_t size, struct hw_bytes *bytes);
};

extern const struct hw_rpc_model hw_rpc_managed, hw_rpc_nanopb;

/* The context by which managed messages are read and written. */
struct hw_protobuf *hw_rpc_context(void);

/* A way to clients: a UART, a socket. */
struct hw_rpc_link {
    /* Sends a packet, which lasts until the function returns. */
    void (*send)(struct hw_rpc_link *link, const uint8_t *packet, uint32_t length);
    const uint32_t *channels; /* those of its clients; packets of other channels are refused */
    uint32_t channel_count;
    uint32_t heard; /* the server's count of packets when the latest one came on this link */
};

/* Channel 1, which Pigweed's client uses if it is not told otherwise. */
extern const uint32_t hw_rpc_default_channel[1];

struct hw_rpc_call {
    struct hw_rpc_server *server;
    const struct hw_rpc_service *service;
    const struct hw_rpc_method *method; /* NULL: this place is free */
    struct hw_rpc_link *link;
    uint32_t channel, id;
    uint32_t serial;
    uintptr_t state;
    bool client_ended; /* its stream has ended */
    bool ending;       /* nothing more is sent */
};

struct hw_rpc_server {
    const struct hw_rpc_service *const *services;
    uint32_t service_count;
    uint8_t *output;
    uint32_t output_bytes;
    uint32_t serial; /* of the latest call */
    uint32_t packets, malformed;
    struct hw_rpc_call calls[HW_RPC_CALLS];
};

#define HW_RPC_LEAST_OUTPUT 64u

/* Makes a server ready. A packet that it sends lies in `output`, in main memory, and is no longer than that. Returns
 * false, and the server takes nothing, if `output` has less than HW_RPC_LEAST_OUTPUT bytes. */
bool hw_rpc_open(struct hw_rpc_server *server, const struct hw_rpc_service *const *services, uint32_t count,
                 void *output, uint32_t bytes);

/* Takes a packet that has come on `link`, and does what it asks for: calls handlers, sends answers. The bytes lie in
 * main memory, outside the managed heap. A packet of which `missing` bytes of the payload are not there, because the
 * link had no room for them, is refused. */
void hw_rpc_take(struct hw_rpc_server *server, struct hw_rpc_link *link, const uint8_t *packet, uint32_t length,
                 uint32_t missing);

static inline bool hw_rpc_is_open(struct hw_rpc_writer writer) {
    return writer.call && writer.call->method && writer.call->serial == writer.serial;
}

/* Returns a word of the program's, 0 when the call begins. The call must be open: it is, in all of its handlers. */
static inline uintptr_t *hw_rpc_state(struct hw_rpc_writer writer) { return &writer.call->state; }

/* Send a message; end the call, with a response if it is one of a client's stream, else NULL. Generated functions know
 * the types. Return false if the call is not open. If a message cannot be written, or is too long for `output`, the
 * call ends with INTERNAL. */
bool hw_rpc_write(struct hw_rpc_writer writer, void *message);
bool hw_rpc_finish(struct hw_rpc_writer writer, enum hw_rpc_status status, void *response);

#endif
