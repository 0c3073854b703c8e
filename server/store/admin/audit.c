/* audit.c - the audit log: each row is written before a change and updated
 * after it. */
#include "audit.h"
#include "sql.h"
#include "text_validate.h"
#include "utf8.h"
#include <string.h>

/* The text in UTF-8, cut to at most `most` bytes, as the schema requires; NULL
 * stays NULL. */
static const char *audit_clip(struct arena *a, const char *text, size_t most)
{
	if (!text)
		return NULL;
	size_t len = strlen(text);
	char *out = arena_alloc(a, 3 * len + 1, 1);
	len = utf8_sanitize(out, text, len);
	out[utf8_clip(out, len, most)] = '\0';
	return out;
}

static const char audit_begin_sql[] =
	"INSERT INTO audit (actor, token_id, project, method, path, detail) "
	"SELECT $1, nullif($2, 0), $3, $4, $5, $6 "
	"WHERE set_config('synchronous_commit', 'off', true) IS NOT NULL "
	"RETURNING id";

bool audit_begin(struct db *db, const struct audit_row *row, int64_t *id,
	struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	struct arena a = { 0 };
	sql_text(&p, audit_clip(&a, row->who, TEXT_VALIDATE_MAX));
	sql_int8(&p, row->token);
	sql_text(&p, audit_clip(&a, row->project, TEXT_VALIDATE_MAX));
	sql_text(&p, row->method);
	sql_text(&p, audit_clip(&a, row->path, AUDIT_PATH));
	sql_text(&p, audit_clip(&a, row->detail, AUDIT_DETAIL));
	bool ok = sql_hot(db, audit_begin_sql, &p, &r, e);
	arena_release(&a);
	if (!ok)
		return false;
	result_next(&r);
	*id = result_int8(&r, 0);
	result_release(&r);
	return true;
}

static const char audit_end_sql[] =
	"UPDATE audit SET status = $2, detail = coalesce($3, detail), "
	"project = coalesce($4, project) "
	"WHERE id = $1 "
	"AND set_config('synchronous_commit', 'off', true) IS NOT NULL";

bool audit_end(struct db *db, int64_t id, int status, const char *detail,
	const char *project, struct err *e)
{
	struct sql_params p = { 0 };
	struct arena a = { 0 };
	sql_int8(&p, id);
	sql_int4(&p, status);
	sql_text(&p, audit_clip(&a, detail, AUDIT_DETAIL));
	sql_text(&p, audit_clip(&a, project, TEXT_VALIDATE_MAX));
	bool ok = sql_hot(db, audit_end_sql, &p, NULL, e);
	arena_release(&a);
	return ok;
}

bool audit_command(struct db *db, const char *command, const char *detail,
	int64_t *id, struct err *e)
{
	char who[64];
	snprintf(who, sizeof who, "kernsiftd %s", command);
	const struct audit_row row = { .who = who,
		.method = "COMMAND",
		.path = command,
		.detail = detail };
	return audit_begin(db, &row, id, e);
}

static void audit_read_row(struct result *r, struct arena *a, void *row)
{
	struct audit_row *o = row;

	o->id = result_int8(r, 0);
	o->at = result_moment(r);
	o->who = result_text(r, a);
	o->token = result_int8(r, 0);
	o->project = result_text(r, a);
	o->method = result_text(r, a);
	o->path = result_text(r, a);
	o->detail = result_text(r, a);
	o->status = result_int4(r, 0);
}

bool audit_list(struct db *db, struct arena *a, const struct audit_filter *f,
	struct audit_row **rows, uint32_t *n, bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	sql_text(&p, f->project);
	sql_text(&p, f->who);
	sql_moment(&p, f->since);
	sql_moment(&p, f->until);
	sql_int8(&p, f->after);
	sql_int8(&p, f->limit + INT64_C(1));
	*rows = sql_page(db,
		"SELECT id, at, actor, token_id, project, method, path, "
		"detail, status "
		"FROM audit "
		"WHERE ($1 IS NULL OR project = $1) "
		"AND ($2 IS NULL OR actor = $2) "
		"AND ($3 IS NULL OR at >= $3) "
		"AND ($4 IS NULL OR at < $4) "
		"AND ($5 = 0 OR id < $5) "
		"ORDER BY id DESC "
		"LIMIT $6",
		&p, f->limit, audit_read_row, sizeof **rows, a, n, more, e);
	return *rows;
}
