/* mapped.h - memory straight from mmap, counted, with a ceiling.
 *
 * The host's malloc is the host's: it may be replaced, it may be locked by a
 * thread that forked. A block is whole pages, so this is for few and large
 * ones. What is new is zero. Of one thread. */
#pragma once
#include <kernsift/kst.h>

struct mapped {
	size_t taken, ceiling; /* bytes */
};

/* Makes `p` (or NULL) `bytes` large; NULL, and `p` unchanged, if the limit
 * or the machine has no more memory. */
void *mapped_grow(struct mapped *m, void *p, size_t bytes);
void mapped_drop(struct mapped *m, void *p);
/* The same as hooks for kst_writer.h. */
struct kst_memory mapped_memory(struct mapped *m);
