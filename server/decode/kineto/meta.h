/* meta.h - reads the metadata around the event list of a Kineto trace */
#pragma once
#include "event.h"
#include "fact_list.h"
#include "text.h"
#include "trace.h"

struct meta {
	struct trace *trace;
	struct text *text;
	const struct kineto_words *words;
	int64_t base_time_ns; /* of 1970, where the file tells; else -1 */
	int32_t rank, world_size; /* -1 unknown */
	uint32_t host;
	struct fact_list facts;
	bool pytorch; /* a key only it writes was seen */
};

/* Whether a key outside the events is one whose value is read. */
bool meta_key(struct meta *m, enum key k);

/* Reads the value at p of such a key; behind it, or NULL. What is not as it
 * should be is passed over. */
const char *meta_value(struct meta *m, struct scan *s, const char *p,
	enum key k);

/* Hands what was read to the trace, whose processes and base are known. False
 * where the arena is full. */
bool meta_apply(const struct meta *m);
