/* run_selection.c - ids are taken as they are, a query is asked of the database; the
 * head first, as the base depends on it. */
#include "run_selection.h"
#include "query_compared.h"
#include "query_selected.h"
#include "query.h"
#include "query_words.h"
#include "project_scope.h"
#include <assert.h>
#include <string.h>

static_assert(WORDS_LAST == (int)SIDE_RUNS, "a unit is a run at least");

struct side {
	const char *name;
	struct selected *out;
	bool query;
	struct query_words asks;
	struct side_word words[SIDE_RUNS];
	uint32_t words_n;
};

static bool side_parse(struct service_call *c, struct side *s, const char *text,
	const char *given, struct err *e)
{
	struct query_words both;
	*s->out = (struct selected){ .asked = text };
	s->query = text && query_words_are(text);
	if (!s->query)
		return side_words(s->name, text, s->words, &s->words_n, e);
	if (!query_words_read(s->name, text, &c->arena, &s->asks, e) ||
		(given &&
			!query_words_read(s->name, given, &c->arena, &both, e)))
		return false;
	if (given)
		query_words_add(&s->asks, &both);
	return true;
}

static bool add(struct service_call *c, const struct side *s, int64_t id,
	struct err *e)
{
	struct selected *to = s->out;
	for (uint32_t i = 0; i < to->n; i++)
		if (to->ids[i] == id)
			return err_set(e, ERR_INPUT, "%s: names run %lld twice",
				s->name, (long long)id);
	if (to->n == SIDE_RUNS)
		return err_set(e, ERR_INPUT,
			"%s: comes to more than %d runs, the most of a side",
			s->name, SIDE_RUNS);
	to->ids[to->n++] = id;
	return reach_run(c, id, e);
}

static bool add_job(struct service_call *c, const struct side *s, int64_t id,
	struct err *e)
{
	struct job_row job;
	if (!reach_job(c, id, e) || !query_job(c->db, &c->arena, id, &job, e))
		return false;
	if (!job.runs_n)
		return err_set(e, ERR_NOT_FOUND, "job %lld has no runs left",
			(long long)id);
	for (uint32_t i = 0; i < job.runs_n; i++)
		if (!add(c, s, job.runs[i], e))
			return false;
	return true;
}

static bool side_ids(struct service_call *c, const struct side *s,
	struct err *e)
{
	for (uint32_t i = 0; i < s->words_n; i++)
		if (s->words[i].job ? !add_job(c, s, s->words[i].id, e)
				    : !add(c, s, s->words[i].id, e))
			return false;
	return true;
}

/* What a base's query does not say, its head says for it. */
static struct select_filter filter_from(struct service_call *c,
	const struct side *s, const struct selected *head,
	const struct selected_first *first)
{
	const struct query_words *w = &s->asks;
	struct select_filter f = {
		.project = w->project,
		.within = reach_project(c),
		.workload = w->workload,
		.framework = w->framework,
		.labels = query_words_labels(w, &c->arena),
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

static const char *of(struct service_call *c, const char *what,
	const char *value)
{
	return value ? arena_printf(&c->arena, ", %s '%.60s'", what, value)
		     : "";
}

static bool found_none(struct service_call *c, const struct side *s,
	const struct select_filter *f, const struct selected_first *first,
	struct err *e)
{
	const char *before = "";
	if (first && f->until == first->created)
		before = arena_printf(&c->arena, ", stored before run %lld",
			(long long)first->run);
	return err_set(e, ERR_NOT_FOUND,
		"%s: no run is found by '%.100s'%s%s%s", s->name, s->out->asked,
		of(c, "project", f->project), of(c, "workload", f->workload),
		before);
}

static bool side_query(struct service_call *c, const struct side *s,
	const struct selected *head, struct err *e)
{
	struct selected_first first;
	bool more;
	if (head && !query_selected_first(c->db, &c->arena, head->ids, head->n,
			    &first, e))
		return false;
	const struct select_filter f = filter_from(c, s, head, &first);
	if (!query_selected(c->db, &f, SIDE_RUNS, s->out->ids, &s->out->n,
		    &more, e))
		return false;
	if (more)
		return err_set(e, ERR_INPUT,
			"%s: '%.100s' comes to more than %d runs, the most of "
			"a side; ask for fewer with last=N",
			s->name, s->out->asked, SIDE_RUNS);
	return s->out->n || found_none(c, s, &f, head ? &first : NULL, e);
}

static bool side_select(struct service_call *c, const struct side *s,
	const struct selected *head, struct err *e)
{
	return s->query ? side_query(c, s, head, e) : side_ids(c, s, e);
}

bool selector_sides(struct service_call *c, const char *base, const char *head,
	const char *given, struct selected *base_out, struct selected *head_out,
	struct err *e)
{
	struct side b = { .name = "base", .out = base_out };
	struct side h = { .name = "head", .out = head_out };
	return side_parse(c, &b, base, given, e) &&
	       side_parse(c, &h, head, given, e) && service_db(c, e) &&
	       side_select(c, &h, NULL, e) && side_select(c, &b, head_out, e);
}
