/* run_selection.h - which runs the texts `base` and `head` of a comparison select.
 *
 * A side is a list of ids ("3", "1,2", "job:4", in any mix; a job means all of
 * its runs), or a query: words with spaces between.
 *
 *   project=demo workload="llama 70b" label.branch=main last=5
 *
 *   project=P workload=W label.KEY=V framework=F   what the runs have
 *   since=TIME until=TIME        stored in [since, until)
 *   latest, last=N               the newest, or the newest N (default: latest): units,
 *                                which are runs, or jobs with all of their runs
 *
 * A word is read as a shell reads it: double quotes keep spaces, and within them \" is
 * a quote and \\ a backslash. No key is given twice, none without a value.
 *
 * Units come oldest first. The base's query excludes the head's runs and, unless it
 * has `until`, what was stored after the head's first run. So the same query selects
 * the same runs later, as long as they are kept. The exception is a run whose ingest
 * began before that of the head's first run and ended after the query, because
 * `created_at` is the start of a transaction. A project or workload that the base's
 * query does not give is that of the head's first run: other work is no baseline. The
 * project of the caller's token is part of every query. A side has at most RUN_SELECTION_MAX
 * runs. */
#pragma once
#include "service.h"

enum { RUN_SELECTION_MAX = 64, RUN_QUERY_LAST = 64, RUN_QUERY_LABELS = 32 };

struct run_selection {
	const char *query; /* as written */
	int64_t ids[RUN_SELECTION_MAX];
	uint32_t n;
};

/* Selects the runs of both sides. `given` is a query whose words apply to
 * both sides, if a side is a query and does not give them itself; NULL: none.
 * ERR_INPUT if a text cannot be read, ERR_NOT_FOUND if it selects no run: the
 * sentence names the side. */
bool run_selection_sides(struct service_call *c, const char *base,
	const char *head, const char *given, struct run_selection *base_out,
	struct run_selection *head_out, struct err *e);

/* ---- ids */

struct run_selection_id {
	bool job;
	int64_t id;
};

/* The ids of a side; `name` begins the sentence of ERR_INPUT. */
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
/* `name` begins the sentence of ERR_INPUT. */
bool run_selection_query_parse(const char *name, const char *text,
	struct arena *a, struct run_query *w, struct err *e);
/* Takes from `given` what *w does not give; labels key by key. */
void run_selection_query_add(struct run_query *w,
	const struct run_query *given);
/* "key=value" as a word that reads back as the same. */
const char *run_selection_query_word(struct arena *a, const char *key,
	const char *value);
/* The labels as a JSON object, keys sorted; NULL if there are none. */
const char *run_selection_query_labels(const struct run_query *w,
	struct arena *a);
