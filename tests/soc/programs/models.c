/* Loads object models into the units, before and after their first command, and decodes a struct of nanopb with each.
 * Prints a line of JSON: who decoded the struct. Before the first line of `main` no command has run. MODEL: what is
 * loaded first. */
#include <stdio.h>
#include <string.h>

#include "../../common/expect.h"
#include "heapwire_model_nanopb.h"
#include "heapwire_model_upb.h"
#include "media.pb.h"
#include "protobuf/model.h"
#include "protobuf/nanopb/nanopb.h"
#include "units/capability.h"

#define WORDS(model) model, sizeof(model) / sizeof(*(model))

static void decode(void) {
    static const uint8_t bytes[] = "\n\3abc\030\5\040\7";
    pb_istream_t stream = pb_istream_from_buffer(bytes, sizeof(bytes) - 1);
    media_Image image = media_Image_init_zero;

    EXPECT(hw_pb_decode(&stream, media_Image_fields, &image));
    EXPECT(strcmp(image.uri, "abc") == 0 && image.width == 5 && image.height == 7);
}

int main(void) {
    static uint32_t other[sizeof(hw_model_upb) / sizeof(*hw_model_upb)];

    hw_capability_discover();
    memcpy(other, hw_model_upb, sizeof other);
    other[0] ^= 1; /* for which units it was made */
    EXPECT(hw_protobuf_load_model(WORDS(other)) == HW_PROTOBUF_LOAD_OTHER_BUILD);
#ifndef OTHER
    EXPECT(hw_protobuf_load_model(WORDS(hw_model_upb)) == HW_PROTOBUF_LOADED);
#ifndef UPB
    EXPECT(hw_protobuf_load_model(WORDS(hw_model_nanopb)) == HW_PROTOBUF_LOADED);
#endif
#endif
    decode();
    EXPECT(hw_protobuf_load_model(WORDS(hw_model_upb)) == HW_PROTOBUF_LOAD_LOCKED);
    EXPECT(hw_protobuf_load_model(WORDS(hw_model_nanopb)) == HW_PROTOBUF_LOAD_LOCKED);
    decode();
    printf("{\"by_unit\":%u,\"redone\":%u,\"software\":%u}\n", (unsigned)hw_nanopb_decodes.by_unit,
           (unsigned)hw_nanopb_decodes.redone, (unsigned)hw_nanopb_decodes.software);
    return 0;
}
