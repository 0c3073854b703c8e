/* fact_list.h - holds the facts of a file until the process that they belong to
 * is known.
 *
 * Versions, clocks, what was traced: short texts by the names of fact.def, or
 * by the format's own. If a name is given twice, the first value counts, unless
 * both are to be kept: then they are joined by a comma. */
#pragma once
#include "text.h"

enum { FACT_LIST_MOST = 32, FACT_VALUE_MOST = 240 };

struct fact_list {
	struct text *text; /* set by the owner */
	struct fact_entry {
		const char *name; /* constant */
		uint32_t value;
	} list[FACT_LIST_MOST];
	uint32_t n;
};

/* Takes a value, `len` bytes of any kind; an empty one is none. False where the
 * arena is full. */
bool fact_list_put(struct fact_list *l, const char *name, const char *value,
	size_t len);
/* The same, added to earlier values of the name: "1410, 1980". */
bool fact_list_append(struct fact_list *l, const char *name, const char *value,
	size_t len);

/* CUDA counts 13030 for 13.3; HIP 70226015 for 7.2.26015. */
bool fact_list_cuda(struct fact_list *l, const char *name, int64_t version);
bool fact_list_hip(struct fact_list *l, const char *name, int64_t version);

/* Makes them facts of a process; of all there are. */
bool fact_list_give(const struct fact_list *l, uint32_t process);
bool fact_list_give_all(const struct fact_list *l);
