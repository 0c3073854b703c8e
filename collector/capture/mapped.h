/* mapped.h - memory from mmap with a limit on the total.
 *
 * The host's malloc cannot be used: the host may have replaced it, and a fork
 * may leave its lock taken. Each block has whole pages, so use these functions
 * for few and large blocks. New memory is zero. For one thread. */
#pragma once
#include <kernsift/kst.h>

struct mapped {
	size_t taken, ceiling; /* bytes */
};

/* Resizes `p` (or NULL) to `bytes`. Returns NULL and does not change `p` if
 * the limit or the machine has no more memory. */
void *mapped_grow(struct mapped *m, void *p, size_t bytes);
void mapped_drop(struct mapped *m, void *p);
/* These functions as hooks for kst_writer.h. */
struct kst_memory mapped_memory(struct mapped *m);
