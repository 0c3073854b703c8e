/* site_overrides.c - edits of the catalogue: documents that are only ever appended. */
#include "site_overrides.h"
#include "sql.h"
#include <inttypes.h>

static const char *const kinds[OWN_KINDS] = {
	[OWN_OPERATORS] = "operators",
	[OWN_RULES] = "rules",
	[OWN_PLATFORMS] = "platforms",
};

#define VERSION "SELECT coalesce(max(version), 0) FROM own_document"

bool own_read(struct db *db, struct arena *a, struct catalog_own *out,
	struct err *e)
{
	static const char sql[] = "SELECT DISTINCT ON (kind) kind, document, "
				  "(" VERSION ") FROM own_document "
				  "ORDER BY kind, version DESC";
	struct result r;
	if (!sql_run(db, sql, NULL, &r, e))
		return false;
	*out = (struct catalog_own){ 0 };
	const char **const to[OWN_KINDS] = {
		[OWN_OPERATORS] = &out->operators,
		[OWN_RULES] = &out->rules,
		[OWN_PLATFORMS] = &out->platforms,
	};
	while (result_next(&r)) {
		const char *kind = result_text(&r, a);
		int k = 0;
		/* A check of the table allows no fourth word. */
		while (k < OWN_KINDS - 1 && strcmp(kinds[k], kind) != 0)
			k++;
		*to[k] = result_text(&r, a);
		out->version = result_int8(&r, 0);
	}
	result_release(&r);
	return true;
}

bool own_version(struct db *db, int64_t *version, struct err *e)
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

struct edit {
	enum own_kind kind;
	const char *json;
	int64_t expected;
	bool made;
};

/* Two who edit the same version at once want the same key; the later one is
 * told so by it, looks again, and finds another version. */
static bool append(struct db *db, void *arg, struct err *e)
{
	struct edit *w = arg;
	struct sql_params p = { 0 };
	int64_t made = 0;
	sql_int8(&p, w->expected);
	sql_text(&p, kinds[w->kind]);
	sql_text(&p, w->json);
	bool ok = sql_change(db,
		"INSERT INTO own_document (version, kind, document) "
		"SELECT $1 + 1, $2, $3 WHERE (" VERSION ") = $1",
		&p, &made, e);
	w->made = made > 0;
	return ok;
}

bool own_write(struct db *db, enum own_kind kind, const char *json,
	int64_t expected, int64_t *version, struct err *e)
{
	struct edit w = { kind, json, expected, false };
	if (!sql_transaction(db, append, &w, e) || !own_version(db, version, e))
		return false;
	if (w.made)
		*version = expected + 1;
	return w.made || err_set(e, ERR_CONFLICT,
				 "the catalogue is at version %" PRId64
				 " by now, not %" PRId64
				 "; look at it again and repeat the edit",
				 *version, expected);
}
