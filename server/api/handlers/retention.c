/* retention.c - shows the retention settings (how long runs and uploads are
 * stored), and replaces all of them at once. */
#include "request_body.h"
#include "audit_record.h"
#include "view_admin.h"
#include <string.h>

enum { PROJECT_MAX = 200 };

static json_t *retention_listed(struct call *c, struct err *e)
{
	struct retention_row *rows;
	uint32_t n;
	if (!call_db(c, e) ||
		!retention_list(c->s.db, &c->s.arena, &rows, &n, e))
		return NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_retention(&rows[i]));
	return view_list(items, NULL);
}

json_t *retention_get(struct call *c, struct err *e)
{
	return retention_listed(c, e);
}

/* -1 if it is null or absent. */
static bool retention_whole_of(const json_t *item, const char *key,
	int64_t most, int64_t *out, struct err *e)
{
	const json_t *v = json_object_get(item, key);
	*out = -1;
	if (!v || json_is_null(v))
		return true;
	*out = json_is_integer(v) ? json_integer_value(v) : -1;
	return (*out >= 0 && *out <= most) ||
	       err_set(e, ERR_INPUT,
		       "%s: is neither null nor a whole number from 0 to %lld",
		       key, (long long)most);
}

static bool retention_project_of_item(struct arena *a, const json_t *item,
	struct retention_row *row, struct err *e)
{
	const json_t *v = json_object_get(item, "project");
	size_t len = json_string_length(v);
	if (json_is_null(v))
		return true;
	if (!json_is_string(v) || len > PROJECT_MAX ||
		strlen(json_string_value(v)) != len)
		return err_set(e, ERR_INPUT,
			"project: is not text of at most %d bytes; null "
			"means all projects without a row",
			PROJECT_MAX);
	row->project = arena_strdup(a, json_string_value(v));
	return true;
}

static bool retention_item_read(struct arena *a, json_t *item,
	struct retention_row *row, struct err *e)
{
	static const char *const keys[] = { "project", "raw_days", "run_days",
		"quota_mib" };
	const char *key;
	json_t *each;
	int64_t raw, run;
	if (!json_is_object(item))
		return err_set(e, ERR_INPUT,
			"items: an entry is not an object with project, "
			"raw_days, run_days and quota_mib");
	json_object_foreach(item, key, each)
	{
		size_t i = 0;
		while (i < 4 && strcmp(key, keys[i]) != 0)
			i++;
		if (i == 4)
			return err_set(e, ERR_INPUT,
				"an item has no '%.60s'; it takes project, "
				"raw_days, run_days and quota_mib",
				key);
	}
	*row = (struct retention_row){ 0 };
	if (!retention_project_of_item(a, item, row, e) ||
		!retention_whole_of(item, "raw_days", RETENTION_DAYS_MAX, &raw,
			e) ||
		!retention_whole_of(item, "run_days", RETENTION_DAYS_MAX, &run,
			e) ||
		!retention_whole_of(item, "quota_mib", RETENTION_QUOTA_MAX,
			&row->quota_mib, e))
		return false;
	row->raw_days = (int)raw;
	row->run_days = (int)run;
	return true;
}

static bool retention_twice(const struct retention_row *rows, uint32_t n)
{
	const char *last = rows[n - 1].project;
	for (uint32_t i = 0; i + 1 < n; i++) {
		const char *one = rows[i].project;
		if (one && last ? !strcmp(one, last) : one == last)
			return true;
	}
	return false;
}

static bool retention_items_read(struct arena *a, const json_t *body,
	struct retention_row **rows, uint32_t *n, struct err *e)
{
	const json_t *v = json_object_get(body, "items");
	if (!json_is_array(v) || json_array_size(v) > RETENTION_ROWS_MAX)
		return err_set(e, ERR_INPUT,
			"items: is not a list of at most %d",
			RETENTION_ROWS_MAX);
	*n = (uint32_t)json_array_size(v);
	*rows = arena_array(a, struct retention_row, *n);
	for (uint32_t i = 0; i < *n; i++) {
		if (!retention_item_read(a, json_array_get(v, i), &(*rows)[i],
			    e))
			return false;
		if (retention_twice(*rows, i + 1))
			return err_set(e, ERR_INPUT,
				"items: project '%.100s' is given twice",
				(*rows)[i].project ? (*rows)[i].project
						   : "null");
	}
	return true;
}

json_t *retention_put(struct call *c, struct err *e)
{
	json_t *body = request_body_read(c, "items", e);
	struct retention_row *rows = NULL;
	uint32_t n = 0;
	bool ok = body &&
		  retention_items_read(&c->s.arena, body, &rows, &n, e) &&
		  call_db(c, e) && retention_replace(c->s.db, rows, n, e);
	if (ok) {
		char *text = json_dumps(json_object_get(body, "items"),
			JSON_COMPACT);
		audit_record_describe(c, NULL, "%.1900s", text);
		free(text);
	}
	json_decref(body);
	return ok ? retention_listed(c, e) : NULL;
}
