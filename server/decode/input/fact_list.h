/* fact_list.h - holds the facts of a file until the process that they belong to
 * is known.
 *
 * Facts are short texts such as versions, clocks and the traced kinds of event.
 * Their names are those of fact.def, or the format's own. If a name is given
 * twice, fact_list_put() keeps the first value; fact_list_append() joins the
 * values with a comma. */
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

/* Adds a value of `len` bytes of any kind; an empty value is ignored. False if
 * the arena is full. */
bool fact_list_put(struct fact_list *l, const char *name, const char *value,
	size_t len);
/* Adds the value to earlier values of the name: "1410, 1980". */
bool fact_list_append(struct fact_list *l, const char *name, const char *value,
	size_t len);

/* Adds a version number: CUDA writes 13030 for 13.3, HIP 70226015 for
 * 7.2.26015. */
bool fact_list_cuda(struct fact_list *l, const char *name, int64_t version);
bool fact_list_hip(struct fact_list *l, const char *name, int64_t version);

/* fact_list_give() makes the facts those of one process, fact_list_give_all()
 * those of every process of the trace. */
bool fact_list_give(const struct fact_list *l, uint32_t process);
bool fact_list_give_all(const struct fact_list *l);
