/* reference_document.c - reads a reference set again for each request, because
 * its costs change with the catalog. */
#include "reference_document.h"
#include "reference_set.h"
#include "site_overrides.h"

enum { NAMES_SHOWN = 20 };

/* Lists the existing sets, for a request that names a missing one. */
static bool reference_set_not_found(struct service_call *c, const char *name,
	struct err *e)
{
	struct reference_set_row *rows;
	const char *list = "";
	uint32_t n;
	if (!reference_set_list(c->db, &c->arena, &rows, &n, e))
		return false;
	for (uint32_t i = 0; i < n && i < NAMES_SHOWN; i++)
		list = arena_printf(&c->arena, "%s%s%s", list, i ? ", " : "",
			rows[i].name);
	if (!n)
		return err_set(e, ERR_NOT_FOUND,
			"there is no reference set '%.100s'; none was imported",
			name);
	return err_set(e, ERR_NOT_FOUND,
		"there is no reference set '%.100s'; there %s %s%s", name,
		n == 1 ? "is" : "are", list, n > NAMES_SHOWN ? ", …" : "");
}

bool reference_document_read(struct service_call *c, const char *name,
	const struct catalog *catalog, struct reference_document *out,
	struct err *e)
{
	const char *sha256;
	struct err why = { 0 };
	if (!service_db(c, e))
		return false;
	if (!reference_set_load(c->db, &c->arena, name, &out->json, &out->len,
		    &sha256, &why))
		return why.code == ERR_NOT_FOUND
			       ? reference_set_not_found(c, name, e)
			       : err_set(e, why.code, "%s", why.text);
	return reference_read(catalog, out->json, out->len, &c->arena, &out->is,
		e);
}
