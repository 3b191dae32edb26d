/* The check for UTF-8 that protobuf requires. */
#ifndef HW_PROTOBUF_CODEC_UTF8_H
#define HW_PROTOBUF_CODEC_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether the text is UTF-8: no overlong form, no surrogate, nothing beyond U+10FFFF, nothing cut short. */
bool protobuf_utf8_valid(const uint8_t *text, uint32_t length);

#endif
