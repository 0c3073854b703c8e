/* run_selection.h - which runs the texts `base` and `head` of a comparison
 * select.
 *
 * A side is a list of ids ("3", "1,2", "job:4", in any mix; a job means all of
 * its runs), or a query. A query is a list of words with spaces between them:
 *
 *   project=demo workload="llama 70b" label.branch=main last=5
 *
 *   project=P workload=W label.KEY=V framework=F   what the runs have
 *   since=TIME until=TIME        stored in [since, until)
 *   latest, last=N               the newest unit, or the newest N (default: latest);
 *                                a unit is a run, or a job with all of its runs
 *
 * Words are read as in a shell: double quotes keep spaces, and inside quotes \"
 * is a quote and \\ a backslash. A key may occur only once and requires a
 * value.
 *
 * The oldest unit comes first. The base's query excludes the head's runs.
 * Without `until` it also excludes runs that were stored after the head's first
 * run. So if the query is sent again later, it selects the same runs, unless
 * they were deleted. There is one exception, because `created_at` is the start
 * of a transaction: a run whose ingest began before that of the head's first
 * run and ended after the first query. If the base's query gives no project or
 * workload, those of the head's first run are used, because other work is no
 * baseline. The project of the caller's token is part of every query. A side
 * has at most RUN_SELECTION_MAX runs. */
#pragma once
#include "service.h"

enum { RUN_SELECTION_MAX = 64, RUN_QUERY_LAST = 64, RUN_QUERY_LABELS = 32 };

struct run_selection {
	const char *query; /* as the user wrote it */
	int64_t ids[RUN_SELECTION_MAX];
	uint32_t n;
};

/* Selects the runs of both sides. `given` is a query. Its words apply to each
 * side that is a query and does not give these words itself; NULL: none.
 * ERR_INPUT if a text cannot be read, ERR_NOT_FOUND if it selects no run; the
 * sentence names the side. */
bool run_selection_sides(struct service_call *c, const char *base,
	const char *head, const char *given, struct run_selection *base_out,
	struct run_selection *head_out, struct err *e);

/* Selects the runs of a gate's anchor, as those of its base; a query without
 * `last` selects as many as a side may have. ERR_INPUT if ids name a run of the
 * head. */
bool run_selection_anchor(struct service_call *c, const char *anchor,
	const char *given, const struct run_selection *head,
	struct run_selection *out, struct err *e);

/* ---- ids */

struct run_selection_id {
	bool job;
	int64_t id;
};

/* Reads the ids of a side; the sentence of ERR_INPUT begins with `name`. */
bool run_selection_ids(const char *name, const char *text,
	struct run_selection_id words[RUN_SELECTION_MAX], uint32_t *n,
	struct err *e);

/* ---- queries; texts are the arena's */

struct run_query {
	const char *project, *workload, *framework; /* NULL: not given */
	int64_t since, until; /* NO_MOMENT: not given */
	int last; /* 0: not given; latest is 1 */
	struct run_query_label {
		const char *key, *value;
	} labels[RUN_QUERY_LABELS];
	uint32_t labels_n;
};

/* Whether a text is meant as a query: it has a '=', or the word "latest". */
bool run_selection_is_query(const char *text);
/* Reads a query; the sentence of ERR_INPUT begins with `name`. */
bool run_selection_query_parse(const char *name, const char *text,
	struct arena *a, struct run_query *w, struct err *e);
/* Adds to *w the words of `given` that *w lacks; each label is one word. */
void run_selection_query_add(struct run_query *w,
	const struct run_query *given);
/* Writes "key=value" as a word that is read back unchanged. */
const char *run_selection_query_word(struct arena *a, const char *key,
	const char *value);
/* The labels as a JSON object, keys sorted; NULL if there are none. */
const char *run_selection_query_labels(const struct run_query *w,
	struct arena *a);
