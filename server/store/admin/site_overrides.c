/* site_overrides.c - overrides of the catalog, documents that are only ever
 * appended; and reference sets. */
#include "site_overrides.h"
#include "sha256.h"
#include "sql.h"
#include "text_validate.h"
#include <inttypes.h>

static const char *const site_overrides_kinds[SITE_KINDS] = {
	[SITE_OPERATORS] = "operators",
	[SITE_RULES] = "rules",
	[SITE_PLATFORMS] = "platforms",
};

#define VERSION "SELECT coalesce(max(version), 0) FROM own_document"

bool site_overrides_read(struct db *db, struct arena *a,
	struct catalog_own *out, struct err *e)
{
	static const char sql[] = "SELECT DISTINCT ON (kind) kind, document, "
				  "(" VERSION ") FROM own_document "
				  "ORDER BY kind, version DESC";
	struct result r;
	if (!sql_run(db, sql, NULL, &r, e))
		return false;
	*out = (struct catalog_own){ 0 };
	const char **const to[SITE_KINDS] = {
		[SITE_OPERATORS] = &out->operators,
		[SITE_RULES] = &out->rules,
		[SITE_PLATFORMS] = &out->platforms,
	};
	while (result_next(&r)) {
		const char *kind = result_text(&r, a);
		int k = 0;
		/* The table allows no other word. */
		while (k < SITE_KINDS - 1 &&
			strcmp(site_overrides_kinds[k], kind) != 0)
			k++;
		*to[k] = result_text(&r, a);
		out->version = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

bool site_overrides_version(struct db *db, int64_t *version, struct err *e)
{
	static const char sql[] = VERSION;
	const struct sql_params none = { 0 };
	struct result r;
	if (!sql_hot(db, sql, &none, &r, e))
		return false;
	*version = result_next(&r) ? result_int8(&r, 0) : 0;
	result_release(&r);
	return true;
}

struct site_overrides_edit {
	enum site_overrides_kind kind;
	const char *json;
	int64_t expected;
	bool made;
};

/* Two edits of the same version insert the same key; the second one fails on
 * it, runs again, and finds another version. */
static bool site_overrides_append(struct db *db, void *arg, struct err *e)
{
	struct site_overrides_edit *w = arg;
	struct sql_params p = { 0 };
	int64_t made = 0;
	sql_int8(&p, w->expected);
	sql_text(&p, site_overrides_kinds[w->kind]);
	sql_text(&p, w->json);
	bool ok = sql_change(db,
		"INSERT INTO own_document (version, kind, document) "
		"SELECT $1 + 1, $2, $3 WHERE (" VERSION ") = $1",
		&p, &made, e);
	w->made = made > 0;
	return ok;
}

bool site_overrides_write(struct db *db, enum site_overrides_kind kind,
	const char *json, int64_t expected, int64_t *version, struct err *e)
{
	struct site_overrides_edit w = { kind, json, expected, false };
	if (!sql_transaction(db, site_overrides_append, &w, e) ||
		!site_overrides_version(db, version, e))
		return false;
	if (w.made)
		*version = expected + 1;
	return w.made || err_set(e, ERR_CONFLICT,
				 "the catalogue is at version %" PRId64
				 " by now, not %" PRId64
				 "; look at it again and repeat the edit",
				 *version, expected);
}

bool site_overrides_catalog(struct db *db, struct arena *a,
	struct catalog **out, int64_t *version, const char **fault,
	struct err *e)
{
	struct catalog_own site;
	struct err why = { 0 };
	*fault = NULL;
	if (!site_overrides_read(db, a, &site, e))
		return false;
	*version = site.version;
	*out = catalog_new(&site, &why);
	if (*out)
		return true;
	*fault = arena_strdup(a, why.text);
	*out = catalog_new(NULL, e);
	return *out;
}

static void reference_hex(const void *bytes, struct arena *a, const char **to)
{
	char *text = arena_alloc(a, SHA256_BYTES * 2 + 1, 1);
	for (int i = 0; i < SHA256_BYTES; i++)
		snprintf(text + (size_t)i * 2, 3, "%02x",
			((const uint8_t *)bytes)[i]);
	*to = text;
}

bool reference_list(struct db *db, struct arena *a, struct reference_row **rows,
	uint32_t *n, struct err *e)
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
	*rows = arena_array(a, struct reference_row, *n);
	for (struct reference_row *row = *rows; result_next(&r); row++) {
		row->name = result_text(&r, a);
		row->source = result_text(&r, a);
		reference_hex(result_bytes(&r, &len), a, &row->sha256);
		row->runs = result_int8(&r, 0);
		row->operators = result_int8(&r, 0);
		row->shapes = result_int8(&r, 0);
		row->bytes = result_int8(&r, 0);
		row->created = result_moment(&r);
	}
	result_release(&r);
	return true;
}

static bool reference_not_found(const char *name, struct err *e)
{
	return err_set(e, ERR_NOT_FOUND, "no reference set '%.100s'", name);
}

bool reference_load(struct db *db, struct arena *a, const char *name,
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
		reference_hex(result_bytes(&r, &hash), a, sha256);
	}
	result_release(&r);
	return there || reference_not_found(name, e);
}

struct reference_storing {
	const struct reference_row *is;
	const char *json;
	size_t len;
	bool made, same;
};

static bool reference_insert(struct db *db, void *arg, struct err *e)
{
	struct reference_storing *k = arg;
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

bool reference_store(struct db *db, const struct reference_row *is,
	const char *json, size_t len, bool *made, struct err *e)
{
	struct reference_storing k = { .is = is, .json = json, .len = len };
	if (!*is->name)
		return err_set(e, ERR_INPUT,
			"a reference set needs a name; give name=");
	if (!text_validate("name", is->name, e) ||
		!sql_transaction(db, reference_insert, &k, e))
		return false;
	*made = k.made;
	return k.same ||
	       err_set(e, ERR_CONFLICT,
		       "there is another reference set called '%.100s'; delete "
		       "it first, or give this one another name",
		       is->name);
}

bool reference_delete(struct db *db, const char *name, struct err *e)
{
	struct sql_params p = { 0 };
	int64_t n;
	sql_text(&p, name);
	return sql_change(db, "DELETE FROM reference_set WHERE name = $1", &p,
		       &n, e) &&
	       (n || reference_not_found(name, e));
}
