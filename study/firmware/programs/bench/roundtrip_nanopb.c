#include <pb_decode.h>
#include <pb_encode.h>

#include "demo.pb.h"
#include "programs/bench/roundtrip.h"

static heapwire_demo_MediaContent content;

/* A string ends with a zero byte. */
static uint32_t seen(const char *text) { return roundtrip_seen(text, strlen(text)); }

static void change(void) {
    heapwire_demo_Media *media = &content.media;
    uint32_t sum = content.image_count + seen(media->uri) + (uint32_t)media->width + seen(media->format) +
                   (uint32_t)media->duration + (uint32_t)media->bitrate + media->player + seen(media->person[1]);

    if (content.image_count != 0) {
        heapwire_demo_Image *image = &content.image[content.image_count - 1];

        sum += seen(image->uri) + (uint32_t)image->width;
        image->height = ROUNDTRIP_HEIGHT;
    } else {
        sum += (uint32_t)media->height + (uint32_t)media->size;
        media->height = ROUNDTRIP_HEIGHT;
    }
    media->has_bitrate = true;
    media->bitrate = roundtrip_bitrate(sum);
    memcpy(media->copyright, ROUNDTRIP_COPYRIGHT, sizeof ROUNDTRIP_COPYRIGHT);
}

static struct hw_bytes round_trip(const struct roundtrip *message) {
    pb_istream_t input = pb_istream_from_buffer(roundtrip_receive(message), message->length);
    pb_ostream_t output = pb_ostream_from_buffer(roundtrip_output, sizeof roundtrip_output);

    if (!pb_decode(&input, &heapwire_demo_MediaContent_msg, &content)) return (struct hw_bytes){0};
    change();
    if (!pb_encode(&output, &heapwire_demo_MediaContent_msg, &content)) return (struct hw_bytes){0};
    return (struct hw_bytes){roundtrip_output, output.bytes_written};
}

void roundtrip_nanopb(const struct roundtrip *message) {
    struct hw_bytes written;
    struct timing timing;

    TIME(&timing, ROUNDTRIP_WARM, written = round_trip(message));
    roundtrip_report(message, (struct row){.engine = "nanopb", .model = "nanopb"}, timing, written);
}
