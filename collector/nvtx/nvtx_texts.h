/* nvtx_texts.h - texts that are kept until the process ends, each with its
 * domain.
 *
 * The table contains names of domains, registered strings, and names of ranges
 * that were open when a node of a graph was created. It is lock-free: the same
 * text in the same domain gets the same number, unless two threads add it at
 * the same moment. It is bounded: after NVTX_TEXTS_MAX texts or
 * NVTX_TEXTS_BYTES the number is 0. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { NVTX_TEXTS_MAX = 1 << 17, NVTX_TEXTS_BYTES = 16 << 20 };

struct nvtx_texts;

/* NULL if there is no memory. */
struct nvtx_texts *nvtx_texts_new(void);
void nvtx_texts_free(struct nvtx_texts *t);

/* Returns a number from 1, or 0 if there is no room. `domain` is the number of
 * the domain's name; 0 is the domain without a name. */
uint32_t nvtx_texts_put(struct nvtx_texts *t, uint32_t domain, const char *text,
	size_t len);
/* The text ends in NUL and is never freed. "" for a number that was never
 * returned. */
const char *nvtx_texts_get(const struct nvtx_texts *t, uint32_t id,
	size_t *len);
uint32_t nvtx_texts_domain(const struct nvtx_texts *t, uint32_t id);
