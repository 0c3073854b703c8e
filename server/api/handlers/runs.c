/* runs.c - lists, shows, changes and deletes runs. */
#include "run_change.h"
#include "api.h"
#include "cursor.h"
#include "listing.h"
#include "resource_project.h"
#include "audit_record.h"
#include "run_measures.h"
#include "view_breakdown.h"
#include <string.h>

static const enum run_sort sorts[] = { RUN_NEWEST, RUN_OLDEST, RUN_BUSY,
	RUN_SPAN, RUN_LAUNCHES };

/* The sort keys of the list. Rows with equal keys are sorted by id. */
static int64_t runs_sort_key(const struct run_row *r, enum run_sort sort)
{
	switch (sort) {
	case RUN_NEWEST:
	case RUN_OLDEST:
		return r->created;
	case RUN_BUSY:
		return r->busy_ns;
	case RUN_SPAN:
		return r->span_ns;
	case RUN_LAUNCHES:
		return r->launches;
	}
	return 0;
}

json_t *runs_get(struct call *c, struct err *e)
{
	const struct params *ps = &c->params;
	int64_t total = -1;
	struct run_filter f = {
		.project = param_text(ps, "project", NULL),
		.workload = param_text(ps, "workload", NULL),
		.framework = param_text(ps, "framework", NULL),
		.content = param_text(ps, "content", NULL),
		.device = param_text(ps, "device", NULL),
		.q = param_text(ps, "q", NULL),
		.labels = ps->labels,
		.upload = param(ps, "upload")->whole,
		.job = param(ps, "job")->whole,
		.since = param_moment(ps, "since"),
		.until = param_moment(ps, "until"),
		.sort = sorts[param(ps, "sort")->whole],
		.limit = (int)param(ps, "limit")->whole,
		.total = listing_is_counted(c) ? &total : NULL,
	};
	struct run_row *rows;
	char next[CURSOR_TEXT];
	uint32_t n;
	bool more;
	if (!cursor_read(c, &f.after_key, &f.after, e) || !call_db(c, e) ||
		!query_runs(c->s.db, &c->s.arena, &f, &rows, &n, &more, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_run(&rows[i]));
	if (more)
		cursor_write(c, runs_sort_key(&rows[n - 1], f.sort),
			rows[n - 1].id, next);
	return listing_total(view_list(items, more ? next : NULL), total);
}

json_t *run_get(struct call *c, struct err *e)
{
	struct run_row row;
	struct profile_device *devices;
	struct layers_short layers;
	struct run_measure *measures;
	uint32_t n, measures_n;
	int64_t main_run;
	bool layered;
	if (!call_db(c, e) ||
		!query_run(c->s.db, &c->s.arena, c->id, &row, e) ||
		!query_run_devices(c->s.db, &c->s.arena, c->id, &devices, &n,
			e) ||
		!query_layers_short(c->s.db, &c->s.arena, c->id, &layers,
			&layered, e) ||
		!run_measures_list(c->s.db, &c->s.arena, &c->id, 1, NULL, 0,
			&measures, &measures_n, e) ||
		!query_run_main(c->s.db, &row, &main_run, e))
		return NULL;
	return view_run_detail(&row, devices, n, layered ? &layers : NULL,
		measures_n, main_run);
}

static bool runs_text_field(const char *key, json_t *value, const char **out,
	struct err *e)
{
	if (!json_is_string(value) || json_string_length(value) > 200)
		return err_set(e, ERR_INPUT,
			"%s: is not text of at most 200 bytes", key);
	if (strlen(json_string_value(value)) != json_string_length(value))
		return err_set(e, ERR_INPUT, "%s: contains U+0000", key);
	*out = json_string_value(value);
	return true;
}

static bool runs_labels_field(struct arena *a, json_t *value, const char **out,
	struct err *e)
{
	const char *key, *unused;
	json_t *each;
	if (!json_is_object(value) || json_object_size(value) > 32)
		return err_set(e, ERR_INPUT,
			"labels: is not an object of at most 32 texts");
	json_object_foreach(value, key, each)
	{
		if (!*key || strlen(key) > 100)
			return err_set(e, ERR_INPUT,
				"labels: a key has 1 to 100 bytes");
		if (!runs_text_field("labels", each, &unused, e))
			return false;
	}
	char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS);
	*out = arena_strdup(a, text);
	free(text);
	return true;
}

static bool runs_change_field(struct arena *a, const char *key, json_t *value,
	struct run_change *out, struct err *e)
{
	const char **field = !strcmp(key, "name")	? &out->name
			     : !strcmp(key, "project")	? &out->project
			     : !strcmp(key, "workload") ? &out->workload
							: NULL;
	return field ? runs_text_field(key, value, field, e)
	       : !strcmp(key, "labels")
		       ? runs_labels_field(a, value, &out->labels, e)
		       : err_set(e, ERR_INPUT,
				 "'%.60s' of a run cannot be "
				 "changed; name, "
				 "project, workload and labels can",
				 key);
}

static bool runs_expected_from(struct arena *a, json_t *values,
	struct run_change *out, struct err *e)
{
	struct run_change *expected = arena_new(a, struct run_change);
	const char *key;
	json_t *value;
	if (!json_is_object(values) || !json_object_size(values))
		return err_set(e, ERR_INPUT,
			"expected: is not an object with name, project, "
			"workload or labels");
	json_object_foreach(values, key, value)
	{
		if (!runs_change_field(a, key, value, expected, e))
			return false;
	}
	out->expected = expected;
	return true;
}

static bool runs_change_from(struct arena *a, json_t *body,
	struct run_change *out, struct err *e)
{
	const char *key;
	json_t *value;
	size_t conditions = json_object_get(body, "expected") ? 1 : 0;
	if (json_object_size(body) <= conditions)
		return err_set(e, ERR_INPUT,
			"the body is not an object with name, project, "
			"workload "
			"or labels");
	json_object_foreach(body, key, value)
	{
		if (!(!strcmp(key, "expected")
				    ? runs_expected_from(a, value, out, e)
				    : runs_change_field(a, key, value, out, e)))
			return false;
	}
	return true;
}

static const char *runs_detail_field(struct arena *a, const char *key,
	const char *value)
{
	return value ? arena_printf(a, " %s='%s'", key, value) : "";
}

/* Records which keys changed. If the run moves to another project, the admins
 * of both projects see the record. */
static bool runs_change_describe(struct call *c, const struct run_change *to,
	struct err *e)
{
	struct arena *a = &c->s.arena;
	const char *was;
	if (!resource_project(c->s.db, a, RESOURCE_RUN, c->id, &was, e))
		return false;
	bool moves = was && to->project && strcmp(was, to->project) != 0;
	audit_record_describe(c, NULL, "run %lld%s%s%s%s%s", (long long)c->id,
		runs_detail_field(a, "project", to->project),
		moves ? arena_printf(a, " (was '%s')", was) : "",
		runs_detail_field(a, "workload", to->workload),
		runs_detail_field(a, "name", to->name),
		runs_detail_field(a, "labels", to->labels));
	return !moves || audit_record_also(c, to->project, e);
}

json_t *run_patch(struct call *c, struct err *e)
{
	const struct api_request *r = c->request;
	struct run_change change = { 0 };
	json_error_t why;
	json_t *body = json_loadb(r->body ? r->body : "", r->body_len,
		JSON_REJECT_DUPLICATES, &why);
	bool ok = body ? runs_change_from(&c->s.arena, body, &change, e)
		       : err_set(e, ERR_INPUT,
				 "the body is not JSON: line %d: %s", why.line,
				 why.text);
	ok = ok &&
	     (!change.project ||
		     project_scope_allows(&c->s, change.project, e)) &&
	     call_db(c, e) && runs_change_describe(c, &change, e) &&
	     run_change(c->s.db, c->id, &change, e);
	json_decref(body);
	return ok ? run_get(c, e) : NULL;
}

json_t *run_delete_it(struct call *c, struct err *e)
{
	if (call_db(c, e))
		run_delete(c->s.db, c->id, e);
	return NULL;
}
