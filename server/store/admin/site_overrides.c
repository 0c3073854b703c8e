/* site_overrides.c - documents that are only appended, and the catalog with
 * them. */
#include "site_overrides.h"
#include "sql.h"
#include <inttypes.h>

static const char *const site_overrides_kinds[SITE_KINDS] = {
	[SITE_OPERATORS] = "operators",
	[SITE_RULES] = "rules",
	[SITE_PLATFORMS] = "platforms",
};

#define VERSION "SELECT coalesce(max(version), 0) FROM site_override"

bool site_overrides_read(struct db *db, struct arena *a,
	struct catalog_own *out, struct err *e)
{
	static const char sql[] = "SELECT DISTINCT ON (kind) kind, document, "
				  "(" VERSION ") FROM site_override "
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
		/* The table allows only these words. */
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

/* Two edits of the same version insert the same key. The second one fails on
 * this key, runs again, and finds a newer version. */
static bool site_overrides_append(struct db *db, void *arg, struct err *e)
{
	struct site_overrides_edit *w = arg;
	struct sql_params p = { 0 };
	int64_t made = 0;
	sql_int8(&p, w->expected);
	sql_text(&p, site_overrides_kinds[w->kind]);
	sql_text(&p, w->json);
	bool ok = sql_change(db,
		"INSERT INTO site_override (version, kind, document) "
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
	return w.made ||
	       err_set(e, ERR_CONFLICT,
		       "the catalog is at version %" PRId64 ", not %" PRId64
		       "; read it again and repeat the edit",
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
