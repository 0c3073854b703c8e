/* run_selection.c - parses ids and queries, and finds their runs.
 *
 * The head is selected first, because the selection of the base depends on it.
 * Labels are written as a JSON object, because the store filters by labels in
 * that form. */
#include "run_selection.h"
#include "job.h"
#include "project_scope.h"
#include "query.h"
#include "query_compared.h"
#include "utc_time.h"
#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- queries */

enum { NAME_BYTES = 200, LABEL_KEY_BYTES = 100 };

static const char label[] = "label.";

bool run_selection_is_query(const char *text)
{
	static const char latest[] = "latest";
	if (strchr(text, '='))
		return true;
	for (const char *at = text; *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");
		if (len == sizeof latest - 1 && !strncmp(at, latest, len))
			return true;
		at += len;
	}
	return false;
}

/* Returns the next word without quotes; NULL at the end, or with *e if a quote
 * is open. */
static char *run_selection_query_word_next(const char *name, const char **at,
	struct arena *a, struct err *e)
{
	const char *from = *at += strspn(*at, " ");
	char *word = arena_alloc(a, strlen(from) + 1, 1), *to = word;
	bool quoted = false;
	for (; **at && (quoted || **at != ' '); ++*at) {
		if (**at == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && **at == '\\' &&
			((*at)[1] == '"' || (*at)[1] == '\\'))
			++*at;
		*to++ = **at;
	}
	if (quoted)
		err_set(e, ERR_INPUT, "%s: a quote is not closed in '%.60s'",
			name, from);
	return quoted || *at == from ? NULL : word;
}

static bool run_selection_query_twice(const char *name, const char *key,
	struct err *e)
{
	return err_set(e, ERR_INPUT, "%s: '%.110s' is given twice", name, key);
}

static bool run_selection_query_text_take(const char *name, const char *key,
	const char *value, const char **to, struct err *e)
{
	if (*to)
		return run_selection_query_twice(name, key, e);
	if (strlen(value) > NAME_BYTES)
		return err_set(e, ERR_INPUT,
			"%s: '%.110s' is longer than %d bytes", name, key,
			NAME_BYTES);
	*to = value;
	return true;
}

static bool run_selection_query_moment_take(const char *name, const char *key,
	const char *value, int64_t *to, struct err *e)
{
	if (*to != NO_MOMENT)
		return run_selection_query_twice(name, key, e);
	return utc_time_parse(value, to) ||
	       err_set(e, ERR_INPUT,
		       "%s: %s: '%.40s' is not a moment such as "
		       "2026-08-22T10:11:12Z",
		       name, key, value);
}

static bool run_selection_query_last_take(const char *name, const char *value,
	struct run_query *w, struct err *e)
{
	char *end;
	if (w->last)
		return err_set(e, ERR_INPUT,
			"%s: the number of runs is given twice (latest means "
			"last=1)",
			name);
	errno = 0;
	long n = strtol(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9' || n < 1 ||
		n > RUN_QUERY_LAST)
		return err_set(e, ERR_INPUT,
			"%s: last: '%.40s' is not a whole number from 1 to %d",
			name, value, RUN_QUERY_LAST);
	w->last = (int)n;
	return true;
}

static bool run_selection_query_label_take(const char *name, const char *key,
	const char *value, struct run_query *w, struct err *e)
{
	const char *is = key + sizeof label - 1;
	const char *taken = NULL;
	if (!*is || strlen(is) > LABEL_KEY_BYTES)
		return err_set(e, ERR_INPUT,
			"%s: '%.40s' is not a label: a key of 1 to %d bytes "
			"follows the dot",
			name, key, LABEL_KEY_BYTES);
	for (uint32_t i = 0; i < w->labels_n; i++)
		if (!strcmp(w->labels[i].key, is))
			return run_selection_query_twice(name, key, e);
	if (w->labels_n == RUN_QUERY_LABELS)
		return err_set(e, ERR_INPUT,
			"%s: more than %d labels are "
			"given",
			name, RUN_QUERY_LABELS);
	if (!run_selection_query_text_take(name, key, value, &taken, e))
		return false;
	w->labels[w->labels_n++] = (struct run_query_label){ is, taken };
	return true;
}

static bool run_selection_query_pair_take(const char *name, const char *key,
	const char *value, struct run_query *w, struct err *e)
{
	if (!strncmp(key, label, sizeof label - 1))
		return run_selection_query_label_take(name, key, value, w, e);
	if (!strcmp(key, "project"))
		return run_selection_query_text_take(name, key, value,
			&w->project, e);
	if (!strcmp(key, "workload"))
		return run_selection_query_text_take(name, key, value,
			&w->workload, e);
	if (!strcmp(key, "framework"))
		return run_selection_query_text_take(name, key, value,
			&w->framework, e);
	if (!strcmp(key, "since"))
		return run_selection_query_moment_take(name, key, value,
			&w->since, e);
	if (!strcmp(key, "until"))
		return run_selection_query_moment_take(name, key, value,
			&w->until, e);
	if (!strcmp(key, "last"))
		return run_selection_query_last_take(name, value, w, e);
	return err_set(e, ERR_INPUT,
		"%s: '%.60s' is no word of a query; it takes project=, "
		"workload=, framework=, label.KEY=, since=, until=, latest "
		"and last=N",
		name, key);
}

bool run_selection_query_parse(const char *name, const char *text,
	struct arena *a, struct run_query *w, struct err *e)
{
	struct err open = { 0 };
	char *word;
	*w = (struct run_query){ .since = NO_MOMENT, .until = NO_MOMENT };
	while ((word = run_selection_query_word_next(name, &text, a, &open))) {
		char *is = strchr(word, '=');
		if (!is && !strcmp(word, "latest")) {
			if (!run_selection_query_last_take(name, "1", w, e))
				return false;
			continue;
		}
		if (is)
			*is = '\0';
		if (is && !is[1])
			return err_set(e, ERR_INPUT,
				"%s: '%.110s=' has no value", name, word);
		if (!run_selection_query_pair_take(name, word, is ? is + 1 : "",
			    w, e))
			return false;
	}
	return !open.code || err_set(e, open.code, "%s", open.text);
}

void run_selection_query_add(struct run_query *w, const struct run_query *given)
{
	if (!w->project)
		w->project = given->project;
	if (!w->workload)
		w->workload = given->workload;
	if (!w->framework)
		w->framework = given->framework;
	if (w->since == NO_MOMENT)
		w->since = given->since;
	if (w->until == NO_MOMENT)
		w->until = given->until;
	if (!w->last)
		w->last = given->last;
	uint32_t own = w->labels_n;
	for (uint32_t i = 0; i < given->labels_n; i++) {
		uint32_t k = 0;
		while (k < own &&
			strcmp(w->labels[k].key, given->labels[i].key) != 0)
			k++;
		if (k == own && w->labels_n < RUN_QUERY_LABELS)
			w->labels[w->labels_n++] = given->labels[i];
	}
}

const char *run_selection_query_word(struct arena *a, const char *key,
	const char *value)
{
	char *text = arena_alloc(a, strlen(key) + 2 * strlen(value) + 4, 1);
	char *to = stpcpy(text, key);
	*to++ = '=';
	*to++ = '"';
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			*to++ = '\\';
		*to++ = *value;
	}
	*to = '"';
	return text;
}

const char *run_selection_query_labels(const struct run_query *w,
	struct arena *a)
{
	if (!w->labels_n)
		return NULL;
	json_t *v = json_object();
	for (uint32_t i = 0; i < w->labels_n; i++)
		json_object_set_new(v, w->labels[i].key,
			json_string(w->labels[i].value));
	char *text = json_dumps(v, JSON_COMPACT | JSON_SORT_KEYS);
	const char *copy = arena_strdup(a, text);
	free(text);
	json_decref(v);
	return copy;
}

/* ---- ids */

static bool run_selection_word_from(const char *name, const char *at,
	size_t len, struct run_selection_id *word, struct err *e)
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

bool run_selection_ids(const char *name, const char *text,
	struct run_selection_id words[RUN_SELECTION_MAX], uint32_t *n,
	struct err *e)
{
	*n = 0;
	if (!text)
		return err_set(e, ERR_INPUT,
			"%s: is missing; give ids such as 1,2 or job:3, or a "
			"query such as label.branch=main",
			name);
	for (const char *at = text;; at++) {
		size_t len = strcspn(at, ",");
		if (*n == RUN_SELECTION_MAX)
			return err_set(e, ERR_INPUT,
				"%s: has more than %d ids, the maximum of a "
				"side",
				name, RUN_SELECTION_MAX);
		if (!run_selection_word_from(name, at, len, &words[*n], e))
			return false;
		++*n;
		at += len;
		if (!*at)
			return true;
	}
}

/* ---- sides */

static_assert(RUN_QUERY_LAST == (int)RUN_SELECTION_MAX,
	"a unit is a run at least");

struct side {
	const char *name;
	struct run_selection *out;
	bool query;
	struct run_query asks;
	struct run_selection_id words[RUN_SELECTION_MAX];
	uint32_t words_n;
};

static bool run_selection_side_parse(struct service_call *c, struct side *s,
	const char *text, const char *given, struct err *e)
{
	struct run_query both;
	*s->out = (struct run_selection){ .query = text };
	s->query = text && run_selection_is_query(text);
	if (!s->query)
		return run_selection_ids(s->name, text, s->words, &s->words_n,
			e);
	if (!run_selection_query_parse(s->name, text, &c->arena, &s->asks, e) ||
		(given && !run_selection_query_parse(s->name, given, &c->arena,
				  &both, e)))
		return false;
	if (given)
		run_selection_query_add(&s->asks, &both);
	return true;
}

static bool run_selection_add(struct service_call *c, const struct side *s,
	int64_t id, struct err *e)
{
	struct run_selection *to = s->out;
	for (uint32_t i = 0; i < to->n; i++)
		if (to->ids[i] == id)
			return err_set(e, ERR_INPUT,
				"%s: run %lld is selected twice; select each run "
				"once",
				s->name, (long long)id);
	if (to->n == RUN_SELECTION_MAX)
		return err_set(e, ERR_INPUT,
			"%s: selects more than %d runs, the maximum of a side",
			s->name, RUN_SELECTION_MAX);
	to->ids[to->n++] = id;
	return project_scope_run(c, id, e);
}

static bool run_selection_add_job(struct service_call *c, const struct side *s,
	int64_t id, struct err *e)
{
	struct job_row job;
	if (!project_scope_job(c, id, e) ||
		!job_read(c->db, &c->arena, id, &job, e))
		return false;
	if (!job.runs_n)
		return err_set(e, ERR_NOT_FOUND, "job %lld has no runs left",
			(long long)id);
	for (uint32_t i = 0; i < job.runs_n; i++)
		if (!run_selection_add(c, s, job.runs[i], e))
			return false;
	return true;
}

static bool run_selection_side_ids(struct service_call *c, const struct side *s,
	struct err *e)
{
	for (uint32_t i = 0; i < s->words_n; i++)
		if (s->words[i].job
				? !run_selection_add_job(c, s, s->words[i].id,
					  e)
				: !run_selection_add(c, s, s->words[i].id, e))
			return false;
	return true;
}

/* Conditions that the base's query does not give are taken from the head. */
static struct select_filter run_selection_filter_from(struct service_call *c,
	const struct side *s, const struct run_selection *head,
	const struct selected_first *first)
{
	const struct run_query *w = &s->asks;
	struct select_filter f = {
		.project = w->project,
		.within = project_scope_name(c),
		.workload = w->workload,
		.framework = w->framework,
		.labels = run_selection_query_labels(w, &c->arena),
		.since = w->since,
		.until = w->until,
		.units = w->last ? w->last : 1,
	};
	if (!head)
		return f;
	f.project = f.project ? f.project : first->project;
	f.workload = f.workload ? f.workload : first->workload;
	if (f.until == NO_MOMENT)
		f.until = first->created;
	f.without = head->ids;
	f.without_n = head->n;
	return f;
}

static const char *run_selection_of(struct service_call *c, const char *what,
	const char *value)
{
	return value ? arena_printf(&c->arena, ", %s '%.60s'", what, value)
		     : "";
}

static bool run_selection_found_none(struct service_call *c,
	const struct side *s, const struct select_filter *f,
	const struct selected_first *first, struct err *e)
{
	const char *before = "";
	if (first && f->until == first->created)
		before = arena_printf(&c->arena, ", stored before run %lld",
			(long long)first->run);
	return err_set(e, ERR_NOT_FOUND,
		"%s: no run is found by '%.100s'%s%s%s", s->name, s->out->query,
		run_selection_of(c, "project", f->project),
		run_selection_of(c, "workload", f->workload), before);
}

static bool run_selection_side_query(struct service_call *c,
	const struct side *s, const struct run_selection *head, struct err *e)
{
	struct selected_first first;
	bool more;
	if (head && !query_selected_first(c->db, &c->arena, head->ids, head->n,
			    &first, e))
		return false;
	const struct select_filter f =
		run_selection_filter_from(c, s, head, &first);
	if (!query_selected(c->db, &f, RUN_SELECTION_MAX, s->out->ids,
		    &s->out->n, &more, e))
		return false;
	if (more)
		return err_set(e, ERR_INPUT,
			"%s: '%.100s' selects more than %d runs, the limit "
			"per side; use last=N to select fewer",
			s->name, s->out->query, RUN_SELECTION_MAX);
	return s->out->n ||
	       run_selection_found_none(c, s, &f, head ? &first : NULL, e);
}

static bool run_selection_side_select(struct service_call *c,
	const struct side *s, const struct run_selection *head, struct err *e)
{
	return s->query ? run_selection_side_query(c, s, head, e)
			: run_selection_side_ids(c, s, e);
}

bool run_selection_sides(struct service_call *c, const char *base,
	const char *head, const char *given, struct run_selection *base_out,
	struct run_selection *head_out, struct err *e)
{
	struct side b = { .name = "base", .out = base_out };
	struct side h = { .name = "head", .out = head_out };
	return run_selection_side_parse(c, &b, base, given, e) &&
	       run_selection_side_parse(c, &h, head, given, e) &&
	       service_db(c, e) && run_selection_side_select(c, &h, NULL, e) &&
	       run_selection_side_select(c, &b, head_out, e);
}

bool run_selection_anchor(struct service_call *c, const char *anchor,
	const char *given, const struct run_selection *head,
	struct run_selection *out, struct err *e)
{
	struct side s = { .name = "anchor", .out = out };

	if (!run_selection_side_parse(c, &s, anchor, given, e) ||
		!service_db(c, e))
		return false;
	if (!s.asks.last)
		s.asks.last = RUN_QUERY_LAST;
	if (!run_selection_side_select(c, &s, head, e))
		return false;
	for (uint32_t i = 0; i < out->n; i++)
		for (uint32_t k = 0; k < head->n; k++)
			if (out->ids[i] == head->ids[k])
				return err_set(e, ERR_INPUT,
					"anchor: run %lld is a run of the "
					"head; name runs of an earlier level",
					(long long)out->ids[i]);
	return true;
}
