/* The service of managed messages. */
#include "objects.rpc.h"

#include "device.h"

const struct hw_rpc_service *const objects = &device_Objects;

static void copy_point(device_Point to, device_Point from) {
    device_Point_set_x(to, device_Point_get_x(from));
    device_Point_set_y(to, device_Point_get_y(from));
}

/* A setter copies from outside the heap alone. */
static uint8_t scratch[2048];

static struct hw_bytes outside(struct hw_bytes bytes) {
    return (struct hw_bytes){memcpy(scratch, bytes.data, bytes.length), bytes.length};
}

#define COPY(set, to, bytes)                     \
    do {                                         \
        struct hw_bytes copied = outside(bytes); \
        set(to, copied.data, copied.length);     \
    } while (0)

enum hw_rpc_status device_Objects_Echo(device_Record request, device_Record *response) {
    device_Record to = *response;

    COPY(device_Record_setn_name, to, device_Record_get_name(request));
    COPY(device_Record_set_data, to, device_Record_get_data(request));
    device_Record_set_mode(to, device_Record_get_mode(request));
    if (device_Record_has_origin(request))
        copy_point(device_Record_mutable_origin(to), device_Record_get_origin(request));
    for (uint32_t i = 0; i < device_Record_count_points(request); i++)
        copy_point(device_Record_add_points(to), device_Record_get_points(request, i));
    for (uint32_t i = 0; i < device_Record_count_counts(request); i++) {
        device_Record_CountsEntry entry = device_Record_get_counts(request, i);
        struct hw_bytes key = outside(device_Record_CountsEntry_get_key(entry));

        device_Record_putn_counts(to, key.data, key.length, device_Record_CountsEntry_get_value(entry));
    }
    if (device_Record_which_choice(request) == device_Record_choice_number)
        device_Record_set_number(to, device_Record_get_number(request));
    if (device_Record_which_choice(request) == device_Record_choice_text)
        COPY(device_Record_setn_text, to, device_Record_get_text(request));
    return HW_RPC_OK;
}

enum hw_rpc_status device_Objects_Fail(device_Number request, device_Number *response) {
    int64_t value = device_Number_get_value(request);

    if (value < 0) device_Record_set_number((device_Record){NULL}, 1); /* raises an error */
    device_Number_set_value(*response, 7);
    return value < 0 ? HW_RPC_OK : (enum hw_rpc_status)value;
}

enum hw_rpc_status device_Objects_Large(device_Range request, device_Record *response) {
    uint32_t bytes = device_Range_get_count(request);

    if (bytes > sizeof scratch) return HW_RPC_OUT_OF_RANGE;
    device_Record_set_data(*response, scratch, bytes);
    return HW_RPC_OK;
}

static bool write_count(struct hw_rpc_writer writer, int64_t value) {
    device_Number number = device_Number_new();

    device_Number_set_value(number, value);
    return device_Objects_Count_write((device_Objects_Count_writer){writer}, number);
}

enum hw_rpc_status device_Objects_Count(device_Objects_Count_writer writer, device_Range request) {
    uint32_t count = device_Range_get_count(request);
    int64_t first = device_Range_get_first(request);

    for (uint32_t i = 0; i < count; i++) {
        hw_scope scope = hw_scope_open();

        write_count(writer.any, first + i);
        hw_scope_close(scope);
    }
    return HW_RPC_OK;
}

enum hw_rpc_status device_Objects_Watch(device_Objects_Watch_writer writer, device_Range request) {
    const struct stream stream = {writer.any, write_count, device_Range_get_first(request),
                                  device_Range_get_count(request)};

    return stream_keep(&stream) ? HW_RPC_OPEN : HW_RPC_RESOURCE_EXHAUSTED;
}

enum hw_rpc_status device_Objects_Watch_end(device_Objects_Watch_writer writer) {
    device_Objects_Watch_finish(writer, HW_RPC_ABORTED);
    return HW_RPC_OPEN;
}

void device_Objects_Watch_cancelled(device_Objects_Watch_writer writer) { cancelled += hw_rpc_is_open(writer.any); }

enum hw_rpc_status device_Objects_Sum(device_Objects_Sum_writer writer, device_Number request) {
    *hw_rpc_state(writer.any) += (uintptr_t)device_Number_get_value(request);
    return *hw_rpc_state(writer.any) > 1000000 ? HW_RPC_OUT_OF_RANGE : HW_RPC_OPEN;
}

enum hw_rpc_status device_Objects_Sum_end(device_Objects_Sum_writer writer, device_Number *response) {
    device_Number_set_value(*response, (int64_t)*hw_rpc_state(writer.any));
    return HW_RPC_OK;
}

void device_Objects_Sum_cancelled(device_Objects_Sum_writer writer) { cancelled += hw_rpc_is_open(writer.any); }

static enum hw_rpc_status doubled(device_Objects_Double_writer writer, int64_t value) {
    device_Number number = device_Number_new();

    device_Number_set_value(number, value);
    return device_Objects_Double_write(writer, number) ? HW_RPC_OPEN : HW_RPC_INTERNAL;
}

enum hw_rpc_status device_Objects_Double_open(device_Objects_Double_writer writer) { return doubled(writer, -1); }

enum hw_rpc_status device_Objects_Double(device_Objects_Double_writer writer, device_Number request) {
    return doubled(writer, 2 * device_Number_get_value(request));
}

enum hw_rpc_status device_Objects_Double_end(device_Objects_Double_writer writer) {
    (void)writer;
    return HW_RPC_OK;
}

enum hw_rpc_status device_Objects_Look(google_protobuf_Empty request, device_Statistics *response) {
    (void)request;
    device_Statistics_set_open(*response, streams_open());
    device_Statistics_set_cancelled(*response, cancelled);
    device_Statistics_set_packets(*response, server.packets);
    device_Statistics_set_malformed(*response, server.malformed);
    return HW_RPC_OK;
}
