/* gate_result.c - outcomes of gates: one row each, written once. */
#include "gate_result.h"
#include "sql.h"
#include "text_validate.h"
#include "webhook.h"

struct gate_result_storing {
	struct gate_row *row;
	const struct gate_event *event;
};

static bool gate_result_insert(struct db *db, void *arg, struct err *e)
{
	static const char sql[] =
		"INSERT INTO gate (created_by, project, workload, name, outcome, "
		"document) "
		"VALUES ($1, $2, $3, $4, $5, $6) "
		"RETURNING id, created_at";
	struct gate_result_storing *k = arg;
	struct gate_row *row = k->row;
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, row->who);
	sql_text(&p, row->project);
	sql_text(&p, row->workload);
	sql_text(&p, row->name);
	sql_text(&p, row->outcome);
	sql_json(&p, row->document);
	if (!sql_run(db, sql, &p, &r, e))
		return false;
	result_next(&r);
	row->id = result_int8(&r, 0);
	row->created = result_moment(&r);
	result_release(&r);
	return !k->event || webhook_notify(db, row->project, "gate",
				    k->event->body(k->event->ctx, row), e);
}

bool gate_result_store(struct db *db, struct gate_row *row,
	const struct gate_event *event, struct err *e)
{
	struct gate_result_storing k = { row, event };
	return text_validate("name", row->name, e) &&
	       sql_transaction(db, gate_result_insert, &k, e);
}

#define GATE_COLUMNS \
	"SELECT id, created_at, created_by, project, workload, name, outcome, "

static void gate_result_read_row(struct result *r, struct arena *a, void *to)
{
	struct gate_row *row = to;

	row->id = result_int8(r, 0);
	row->created = result_moment(r);
	row->who = result_text(r, a);
	row->project = result_text(r, a);
	row->workload = result_text(r, a);
	row->name = result_text(r, a);
	row->outcome = result_text(r, a);
	row->document = result_text(r, a);
}

#define GATE_FILTER                                              \
	"FROM gate "                                             \
	"WHERE ($1 IS NULL OR project = $1) "                    \
	"AND ($2 IS NULL OR workload = $2) "                     \
	"AND ($3 IS NULL OR name = $3) "                         \
	"AND ($4 IS NULL OR outcome = $4) "                      \
	"AND ($5 IS NULL OR document #> '{head,labels}' @> $5) " \
	"AND ($6 IS NULL OR created_at >= $6) "                  \
	"AND ($7 IS NULL OR created_at < $7) "

static const char gate_result_list_sql[] = GATE_COLUMNS
	"(document - 'rules' - 'anchor' - 'findings' - "
	"'noise_prior')::text " GATE_FILTER "AND ($8 = 0 OR id < $8) "
	"ORDER BY id DESC LIMIT $9";

bool gate_result_list(struct db *db, struct arena *a,
	const struct gate_filter *f, struct gate_row **rows, uint32_t *n,
	bool *more, struct err *e)
{
	struct sql_params p = { 0 };
	sql_text(&p, f->project);
	sql_text(&p, f->workload);
	sql_text(&p, f->name);
	sql_text(&p, f->outcome);
	sql_json(&p, f->labels);
	sql_moment(&p, f->since);
	sql_moment(&p, f->until);
	sql_int8(&p, f->after);
	sql_int8(&p, f->limit + INT64_C(1));
	if (f->total && !sql_count(db, SQL_COUNT(GATE_FILTER), &p, f->total, e))
		return false;
	*rows = sql_page(db, gate_result_list_sql, &p, f->limit,
		gate_result_read_row, sizeof **rows, a, n, more, e);
	return *rows;
}

static bool gate_result_not_found(int64_t id, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no gate %lld", (long long)id);
}

bool gate_result_get(struct db *db, struct arena *a, int64_t id,
	struct gate_row *row, struct err *e)
{
	static const char sql[] =
		GATE_COLUMNS "document::text FROM gate WHERE id = $1";
	struct sql_params p = { 0 };
	bool there;
	sql_int8(&p, id);
	return sql_one(db, sql, &p, gate_result_read_row, a, row, &there, e) &&
	       (there || gate_result_not_found(id, e));
}

bool gate_result_delete(struct db *db, int64_t id, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_int8(&p, id);
	return sql_change(db, "DELETE FROM gate WHERE id = $1", &p, &n, e) &&
	       (n || gate_result_not_found(id, e));
}

struct gate_result_numbering {
	const uint8_t *request;
	struct gate_budget *out;
};

/* Two requests at once: the second INSERT fails, and sql_transaction() repeats
 * it. */
static bool gate_result_take_number(struct db *db, void *arg, struct err *e)
{
	static const char insert[] =
		"INSERT INTO gate_number (project, commit, request, number) "
		"SELECT $1, $2, $3, coalesce(max(number), 0) + 1 "
		"FROM gate_number WHERE project = $1 AND commit = $2 "
		"HAVING NOT coalesce(bool_or(request = $3), false)";
	static const char read[] =
		"SELECT max(number) FILTER (WHERE request = $3)::int8, "
		"max(number)::int8 "
		"FROM gate_number WHERE project = $1 AND commit = $2";
	struct gate_result_numbering *k = arg;
	struct sql_params p = { 0 };
	struct result r;
	int64_t inserted;

	sql_text(&p, k->out->project);
	sql_text(&p, k->out->commit);
	sql_bytes(&p, k->request, 32);
	if (!sql_change(db, insert, &p, &inserted, e) ||
		!sql_run(db, read, &p, &r, e))
		return false;
	k->out->fresh = inserted;
	result_next(&r);
	k->out->number = (uint32_t)result_int8(&r, 0);
	k->out->gates = (uint32_t)result_int8(&r, 0);
	result_release(&r);
	return true;
}

bool gate_result_number_free(struct db *db, const struct gate_budget *budget,
	const uint8_t request[32], struct err *e)
{
	static const char sql[] =
		"DELETE FROM gate_number "
		"WHERE project = $1 AND commit = $2 AND request = $3";
	struct sql_params p = { 0 };
	int64_t n;
	if (!budget->fresh)
		return true;
	sql_text(&p, budget->project);
	sql_text(&p, budget->commit);
	sql_bytes(&p, request, 32);
	return sql_change(db, sql, &p, &n, e);
}

bool gate_result_number(struct db *db, struct arena *a, const int64_t *head,
	uint32_t head_n, const char *unit, const uint8_t request[32],
	struct gate_budget *out, struct err *e)
{
	static const char sql[] =
		"SELECT min(project), CASE WHEN count(DISTINCT labels ->> $2) = 1 "
		"AND count(labels ->> $2) = count(*) "
		"THEN nullif(min(labels ->> $2), '') END "
		"FROM run WHERE run_id = ANY ($1)";
	struct gate_result_numbering k = { request, out };
	struct sql_params p = { 0 };
	struct sql_array ids;
	struct result r;

	*out = (struct gate_budget){ 0 };
	sql_int8s(&p, &ids, head, head_n);
	sql_text(&p, unit);
	bool ok = sql_run(db, sql, &p, &r, e);
	sql_array_release(&ids);
	if (!ok)
		return false;
	result_next(&r);
	out->project = result_text(&r, a);
	out->commit = result_text(&r, a);
	result_release(&r);
	return !out->commit ||
	       sql_transaction(db, gate_result_take_number, &k, e);
}
