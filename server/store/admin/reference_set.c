/* reference_set.c - documents by name, inserted once. */
#include "reference_set.h"
#include "sha256.h"
#include "sql.h"
#include "text_validate.h"

static void reference_set_hex(const void *bytes, struct arena *a,
	const char **to)
{
	char *text = arena_alloc(a, SHA256_BYTES * 2 + 1, 1);
	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(text + (size_t)i * 2, 3, "%02x",
			((const uint8_t *)bytes)[i]);
	*to = text;
}

bool reference_set_list(struct db *db, struct arena *a,
	struct reference_set_row **rows, uint32_t *n, struct err *e)
{
	static const char sql[] =
		"SELECT name, source, sha256, runs, operators, shapes, "
		"octet_length(document)::bigint, created_at "
		"FROM reference_set "
		"ORDER BY name";
	struct result r;
	size_t len;
	if (!sql_run(db, sql, NULL, &r, e))
		return false;
	*n = (uint32_t)r.n;
	*rows = arena_array(a, struct reference_set_row, *n);
	for (struct reference_set_row *row = *rows; result_next(&r); row++) {
		row->name = result_text(&r, a);
		row->source = result_text(&r, a);
		reference_set_hex(result_bytes(&r, &len), a, &row->sha256);
		row->runs = result_int8(&r, 0);
		row->operators = result_int8(&r, 0);
		row->shapes = result_int8(&r, 0);
		row->bytes = result_int8(&r, 0);
		row->created = result_moment(&r);
	}
	result_release(&r);
	return true;
}

static bool reference_set_not_found(const char *name, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no reference set '%.100s'", name);
}

bool reference_set_load(struct db *db, struct arena *a, const char *name,
	const char **json, size_t *len, const char **sha256, struct err *e)
{
	static const char sql[] = "SELECT document, sha256 "
				  "FROM reference_set WHERE name = $1";
	struct sql_params p = { 0 };
	struct result r;
	size_t hash;
	sql_text(&p, name);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	bool there = result_next(&r);
	if (there) {
		const void *bytes = result_bytes(&r, len);
		*json = arena_strndup(a, bytes, *len);
		reference_set_hex(result_bytes(&r, &hash), a, sha256);
	}
	result_release(&r);
	return there || reference_set_not_found(name, e);
}

struct reference_set_storing {
	const struct reference_set_row *is;
	const char *json;
	size_t len;
	bool made, same;
};

static bool reference_set_insert(struct db *db, void *arg, struct err *e)
{
	struct reference_set_storing *k = arg;
	struct sql_params p = { 0 };
	struct result r;
	int64_t made = 0;
	uint8_t sha256[SHA256_BYTES];
	sha256_of(k->json, k->len, sha256);
	sql_text(&p, k->is->name);
	sql_text(&p, k->is->source);
	sql_bytes(&p, sha256, sizeof sha256);
	sql_bytes(&p, k->json, k->len);
	sql_int8(&p, k->is->runs);
	sql_int8(&p, k->is->operators);
	sql_int8(&p, k->is->shapes);
	if (!sql_change(db,
		    "INSERT INTO reference_set (name, source, sha256, "
		    "document, runs, operators, shapes) "
		    "VALUES ($1, $2, $3, $4, $5, $6, $7) "
		    "ON CONFLICT (name) DO NOTHING",
		    &p, &made, e))
		return false;
	struct sql_params q = { 0 };
	sql_text(&q, k->is->name);
	sql_bytes(&q, sha256, sizeof sha256);
	if (!sql_run(db,
		    "SELECT sha256 = $2 FROM reference_set WHERE name = $1", &q,
		    &r, e))
		return false;
	k->made = made > 0;
	k->same = result_next(&r) && result_bool(&r);
	result_release(&r);
	return true;
}

bool reference_set_store(struct db *db, const struct reference_set_row *is,
	const char *json, size_t len, bool *made, struct err *e)
{
	struct reference_set_storing k = { .is = is, .json = json, .len = len };
	if (!*is->name)
		return err_set(e, ERR_INPUT,
			"a reference set needs a name; give name=");
	if (!text_validate("name", is->name, e) ||
		!sql_transaction(db, reference_set_insert, &k, e))
		return false;
	*made = k.made;
	return k.same ||
	       err_set(e, ERR_CONFLICT,
		       "there is another reference set called '%.100s'; delete "
		       "it first, or give this one another name",
		       is->name);
}

bool reference_set_delete(struct db *db, const char *name, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_text(&p, name);
	return sql_change(db, "DELETE FROM reference_set WHERE name = $1", &p,
		       &n, e) &&
	       (n || reference_set_not_found(name, e));
}
