/* Two bitmaps of an image, with a bit for every 8 bytes: where objects start and where references lead. Both are needed
 * because a reference may precede its target. */
#ifndef HW_CEREAL_CODEC_STARTS_H
#define HW_CEREAL_CODEC_STARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct cereal_starts {
    uint32_t *starts, *wanted;
    uint32_t words; /* of each bitmap */
};

/* Makes both bitmaps in `work`, for this many granules of 8 bytes. */
static inline struct cereal_starts cereal_starts_begin(void *work, uint32_t granules) {
    struct cereal_starts all = {.starts = work, .words = (granules + 31) / 32};

    all.wanted = all.starts + all.words;
    memset(work, 0, 2 * all.words * sizeof *all.starts);
    return all;
}

static inline void cereal_starts_at(const struct cereal_starts *all, uint32_t granule) {
    all->starts[granule / 32] |= 1u << granule % 32;
}

static inline void cereal_starts_want(const struct cereal_starts *all, uint32_t granule) {
    all->wanted[granule / 32] |= 1u << granule % 32;
}

static inline bool cereal_starts_is(const struct cereal_starts *all, uint32_t granule) {
    return all->starts[granule / 32] >> granule % 32 & 1;
}

/* Returns whether an object starts wherever a reference leads. */
static inline bool cereal_starts_agree(const struct cereal_starts *all) {
    uint32_t missing = 0;

    for (uint32_t i = 0; i < all->words; i++) missing |= all->wanted[i] & ~all->starts[i];
    return missing == 0;
}

#endif
