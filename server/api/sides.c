/* sides.c - from "1,job:4" to runs. */
#include "sides.h"
#include "query_compared.h"
#include "ranged.h"
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
		"%s: '%.*s' is neither the id of a run nor job: and the id of "
		"a job",
		name, len < 40 ? (int)len : 40, at);
}

bool side_words(const char *name, const char *text,
	struct side_word words[SIDE_RUNS], uint32_t *n, struct err *e)
{
	*n = 0;
	if (!text)
		return err_set(e, ERR_INPUT,
			"%s: is missing; it names runs, such as %s=1,2 or "
			"%s=job:3",
			name, name, name);
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

struct ids {
	const char *name;
	int64_t ids[SIDE_RUNS];
	uint32_t n;
};

static bool add(struct ids *to, int64_t id, struct err *e)
{
	for (uint32_t i = 0; i < to->n; i++)
		if (to->ids[i] == id)
			return err_set(e, ERR_INPUT, "%s: names run %lld twice",
				to->name, (long long)id);
	if (to->n == SIDE_RUNS)
		return err_set(e, ERR_INPUT,
			"%s: comes to more than %d runs, the most of a side",
			to->name, SIDE_RUNS);
	to->ids[to->n++] = id;
	return true;
}

static bool add_job(struct call *c, struct ids *to, int64_t id, struct err *e)
{
	struct job_row job;
	if (!reach_job(c, id, e) || !query_job(c->db, &c->arena, id, &job, e))
		return false;
	if (!job.runs_n)
		return err_set(e, ERR_NOT_FOUND, "job %lld has no runs left",
			(long long)id);
	for (uint32_t i = 0; i < job.runs_n; i++)
		if (!add(to, job.runs[i], e))
			return false;
	return true;
}

static bool ids_from(struct call *c, struct ids *to, struct err *e)
{
	struct side_word words[SIDE_RUNS];
	uint32_t n;
	if (!side_words(to->name, param_text(&c->params, to->name, NULL), words,
		    &n, e))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (words[i].job ? !add_job(c, to, words[i].id, e)
				 : !reach_run(c, words[i].id, e) ||
					   !add(to, words[i].id, e))
			return false;
	return true;
}

static bool side_read(struct call *c, const struct ids *ids, const char *range,
	struct compared_run **runs, struct err *e)
{
	*runs = arena_array(&c->arena, struct compared_run, ids->n);
	if (!query_compared(c->db, &c->arena, ids->ids, ids->n, !range, *runs,
		    e))
		return false;
	for (uint32_t i = 0; range && i < ids->n; i++)
		if (!ranged_read(c, range, &(*runs)[i], e))
			return false;
	return true;
}

bool sides_read(struct call *c, struct compared_sides *s, struct err *e)
{
	struct ids base = { .name = "base" }, head = { .name = "head" };
	s->range = param_text(&c->params, "range", NULL);
	if (!call_db(c, e) || !ids_from(c, &base, e) ||
		!ids_from(c, &head, e) ||
		!side_read(c, &base, s->range, &s->base, e) ||
		!side_read(c, &head, s->range, &s->head, e))
		return false;
	s->base_n = base.n;
	s->head_n = head.n;
	return true;
}
