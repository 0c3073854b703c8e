/* compare_sides.c - from "1,job:4" to runs. */
#include "compare_sides.h"
#include "query_compared.h"
#include "reanalyze.h"
#include "run_selection.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool word_from(const char *name, const char *at, size_t len,
	struct side_word *word, struct err *e)
{
	static const char job[] = "job:";
	char text[32] = "", *end;
	const char *digits = text;
	if (len < sizeof text)
		memcpy(text, at, len);
	word->job = !strncmp(text, job, sizeof job - 1);
	if (word->job)
		digits += sizeof job - 1;
	errno = 0;
	word->id = strtoll(digits, &end, 10);
	if (!errno && *digits >= '0' && *digits <= '9' && !*end && word->id > 0)
		return true;
	return err_set(e, ERR_INPUT,
		"%s: '%.*s' is neither the id of a run, nor job: and the id of "
		"a job, nor a query such as label.branch=main",
		name, len < 40 ? (int)len : 40, at);
}

bool side_words(const char *name, const char *text,
	struct side_word words[SIDE_RUNS], uint32_t *n, struct err *e)
{
	*n = 0;
	if (!text)
		return err_set(e, ERR_INPUT,
			"%s: is missing; it names runs, such as 1,2 or job:3, "
			"or is a query such as label.branch=main",
			name);
	for (const char *at = text;; at++) {
		size_t len = strcspn(at, ",");
		if (*n == SIDE_RUNS)
			return err_set(e, ERR_INPUT,
				"%s: names more than %d runs, the most of a "
				"side",
				name, SIDE_RUNS);
		if (!word_from(name, at, len, &words[*n], e))
			return false;
		++*n;
		at += len;
		if (!*at)
			return true;
	}
}

static bool side_read(struct service_call *c, const struct selected *side,
	const char *range, struct compared_run **runs, struct err *e)
{
	*runs = arena_array(&c->arena, struct compared_run, side->n);
	if (!query_compared(c->db, &c->arena, side->ids, side->n, !range, *runs,
		    e))
		return false;
	for (uint32_t i = 0; range && i < side->n; i++)
		if (!ranged_read(c, range, &(*runs)[i], e))
			return false;
	return true;
}

bool sides_of(struct service_call *c, const struct selected *base,
	const struct selected *head, const char *range,
	struct compared_sides *s, struct err *e)
{
	*s = (struct compared_sides){ .base_n = base->n,
		.head_n = head->n,
		.range = range };
	return side_read(c, base, range, &s->base, e) &&
	       side_read(c, head, range, &s->head, e);
}
