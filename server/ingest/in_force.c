/* in_force.c - asked before each upload: was the catalogue edited? */
#include "in_force.h"
#include "log.h"
#include "site_overrides.h"

static bool renew(struct in_force *f, struct db *db, int64_t version,
	struct err *e)
{
	struct in_force next = { .version = version };
	struct catalog_own own = { 0 };
	if (version && !site_overrides_read(db, &next.arena, &own, e)) {
		arena_release(&next.arena);
		return false;
	}
	next.catalog = catalog_new(version ? &own : NULL, e);
	if (!next.catalog) {
		arena_release(&next.arena);
		return false;
	}
	in_force_release(f);
	*f = next;
	return true;
}

bool in_force_renew(struct in_force *f, struct db *db, struct err *e)
{
	int64_t version;
	struct err why = { 0 };
	if (!site_overrides_version(db, &version, e))
		return false;
	if (f->catalog && f->version == version)
		return true;
	if (renew(f, db, version, &why))
		return true;
	if (why.code != ERR_INPUT)
		return err_set(e, why.code, "%s", why.text);
	log_error("worker leaves the catalogue's version %lld out: %s",
		(long long)version, why.text);
	if (!f->catalog && !renew(f, db, 0, e))
		return false;
	f->version = version; /* so that it is told once */
	return true;
}

void in_force_release(struct in_force *f)
{
	catalog_free(f->catalog);
	arena_release(&f->arena);
	*f = (struct in_force){ 0 };
}
