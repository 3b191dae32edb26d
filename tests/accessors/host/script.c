/* The script is kept in memory, so that a step can be repeated. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

#define SCRIPT_BYTES (64u << 20)

static uint8_t script[SCRIPT_BYTES];
static size_t script_at, script_bytes;

void script_load(void) { script_bytes = fread(script, 1, SCRIPT_BYTES, stdin); }

bool script_ended(void) { return script_at == script_bytes; }

size_t script_tell(void) { return script_at; }

void script_seek(size_t at) { script_at = at; }

void die(const char *what) {
    printf("driver: %s\n", what);
    exit(3);
}

static const uint8_t *take(size_t bytes) {
    const uint8_t *at = script + script_at;

    if (bytes > script_bytes - script_at) die("the script is cut short");
    script_at += bytes;
    return at;
}

uint32_t read_32(void) {
    uint32_t word;

    memcpy(&word, take(4), 4);
    return word;
}

uint64_t read_64(void) {
    uint64_t word;

    memcpy(&word, take(8), 8);
    return word;
}

static bool without_zeros = true;

struct hw_bytes read_bytes(void) {
    uint32_t length = read_32();
    const uint8_t *bytes = take(length);

    without_zeros &= memchr(bytes, 0, length) == NULL;
    return (struct hw_bytes){bytes, length};
}

const char *c_text(struct hw_bytes bytes) {
    static char texts[2][1u << 16];
    static int last;

    if (bytes.length >= sizeof texts[0]) die("a string is too long");
    last ^= 1;
    memcpy(texts[last], bytes.data, bytes.length);
    texts[last][bytes.length] = 0;
    return texts[last];
}

bool are_texts(void) {
    bool were = without_zeros;

    without_zeros = true;
    return were;
}

void print_bytes(struct hw_bytes bytes, FILE *out) {
    fputc('"', out);
    for (uint32_t i = 0; i < bytes.length; i++) fprintf(out, "%02x", bytes.data[i]);
    fputc('"', out);
}
