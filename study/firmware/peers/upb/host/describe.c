/* describe ROOT... <SET: reads a FileDescriptorSet whose files follow their imports, and prints the table of
 * peers/upb/tables.h: mini descriptors, by upb's own encoder, of all messages that the roots reach and of their closed
 * enums. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "google/protobuf/descriptor.upb.h"
#include "upb/mem/arena.h"
#include "upb/reflection/def.h"

#define TYPES 8192
#define SET_BYTES (64u << 20)

/* Pointers to definitions, each once, in the order in which they were found. */
struct found {
    const void *types[TYPES];
    unsigned count;
};

static struct found messages, enums;

static _Noreturn void fail(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static unsigned index_in(struct found *found, const void *type) {
    for (unsigned i = 0; i < found->count; i++)
        if (found->types[i] == type) return i;
    if (found->count == TYPES) fail("schema", "too many types");
    found->types[found->count] = type;
    return found->count++;
}

static const upb_EnumDef *closed_enum(const upb_FieldDef *field) {
    const upb_EnumDef *type = upb_FieldDef_Type(field) == kUpb_FieldType_Enum ? upb_FieldDef_EnumSubDef(field) : NULL;

    return type && upb_EnumDef_IsClosed(type) ? type : NULL;
}

/* Prints the links of a message, if `print`. Finds their types in any case. */
static unsigned links(const upb_MessageDef *message, bool print) {
    unsigned count = 0;

    for (int i = 0; i < upb_MessageDef_FieldCount(message); i++) {
        const upb_FieldDef *field = upb_MessageDef_Field(message, i);
        const upb_MessageDef *sub = upb_FieldDef_IsSubMessage(field) ? upb_FieldDef_MessageSubDef(field) : NULL;
        const upb_EnumDef *enumeration = sub ? NULL : closed_enum(field);

        if (!sub && !enumeration) continue;
        unsigned type = sub ? index_in(&messages, sub) : index_in(&enums, enumeration);

        if (print) printf("{%u, %u}, ", (unsigned)upb_FieldDef_Number(field), type + (sub ? 0 : messages.count));
        count++;
    }
    return count;
}

static void print_text(upb_StringView text) {
    printf("\"");
    for (size_t i = 0; i < text.size; i++)
        printf(isalnum((unsigned char)text.data[i]) ? "%c" : "\\%03o", (unsigned char)text.data[i]);
    printf("\", %u", (unsigned)text.size);
}

static upb_DefPool *pool_of(const char *set, size_t size, upb_Arena *arena) {
    google_protobuf_FileDescriptorSet *parsed = google_protobuf_FileDescriptorSet_parse(set, size, arena);
    upb_DefPool *pool = upb_DefPool_New();
    size_t count = 0;
    const google_protobuf_FileDescriptorProto *const *files =
        parsed ? google_protobuf_FileDescriptorSet_file(parsed, &count) : NULL;
    upb_Status status;

    upb_Status_Clear(&status);
    if (!parsed) fail("input", "no FileDescriptorSet");
    for (size_t i = 0; i < count; i++)
        if (!upb_DefPool_AddFile(pool, files[i], &status)) fail("schema", upb_Status_ErrorMessage(&status));
    return pool;
}

int main(int argc, char **argv) {
    static char set[SET_BYTES];
    upb_Arena *arena = upb_Arena_New();
    upb_DefPool *pool = pool_of(set, fread(set, 1, sizeof set, stdin), arena);
    upb_StringView text;

    for (int i = 1; i < argc; i++) {
        const upb_MessageDef *root = upb_DefPool_FindMessageByName(pool, argv[i]);

        if (!root) fail(argv[i], "no such message");
        index_in(&messages, root);
    }
    for (unsigned i = 0; i < messages.count; i++) links(messages.types[i], false);
    puts("#include \"peers/upb/tables.h\"");
    for (unsigned i = 0; i < messages.count; i++) {
        printf("static const struct upb_peer_link links_%u[] = {", i);
        links(messages.types[i], true);
        puts("{0, 0}};");
    }
    puts("const struct upb_peer_type upb_peer_types[] = {");
    for (unsigned i = 0; i < messages.count; i++) {
        const upb_MessageDef *message = messages.types[i];

        if (!upb_MessageDef_MiniDescriptorEncode(message, arena, &text))
            fail(upb_MessageDef_FullName(message), "memory");
        printf("    {\"%s\", ", upb_MessageDef_FullName(message));
        print_text(text);
        printf(", links_%u, %u},\n", i, links(message, false));
    }
    for (unsigned i = 0; i < enums.count; i++) {
        if (!upb_EnumDef_MiniDescriptorEncode(enums.types[i], arena, &text)) fail("enum", "memory");
        printf("    {\"\", ");
        print_text(text);
        puts(", 0, 0},");
    }
    printf("};\nconst uint32_t upb_peer_messages = %u, upb_peer_enums = %u;\n", messages.count, enums.count);
    return 0;
}
