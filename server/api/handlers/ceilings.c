/* ceilings.c - measured ceilings of platforms: lists them, stores what
 * `kernsift calibrate` sends, deletes them. */
#include "audit_record.h"
#include "call.h"
#include "ceilings.h"
#include "platform_ceilings.h"
#include "request_body.h"
#include "utc_time.h"
#include "view_operators.h"
#include <stdlib.h>
#include <time.h>

static json_t *ceilings_listed(struct call *c, const char *platform,
	struct err *e)
{
	const struct catalog *k = call_catalog(c, e);
	struct measured_ceilings *rows;
	uint32_t n;
	if (!k || !call_db(c, e) ||
		!measured_ceilings_read(c->s.db, &c->s.arena, k, platform,
			&rows, &n, e))
		return NULL;
	if (platform && !n)
		err_set(e, ERR_NOT_FOUND,
			"the ceilings of '%.100s' were deleted at the same "
			"time",
			platform);
	if (platform)
		return n ? view_ceilings(&rows[0]) : NULL;
	json_t *items = json_array();
	for (uint32_t i = 0; i < n; i++)
		view_append(items, view_ceilings(&rows[i]));
	return view_list(items, NULL);
}

json_t *ceilings_get(struct call *c, struct err *e)
{
	return ceilings_listed(c, NULL, e);
}

/* How far the clock of the machine that measured may be ahead: that of Kerberos
 * (RFC 4120, 5 minutes). A later time would refuse the calibrations until then. */
enum { AHEAD_S = 5 * 60 };

static bool ceilings_moment(const struct ceilings *is, int64_t *us,
	struct err *e)
{
	if (!utc_time_parse(is->measured_at, us))
		return err_set(e, ERR_INPUT,
			"measured_at: '%.40s' is not a time such as "
			"2026-08-22T10:11:12Z",
			is->measured_at);
	return *us / 1000000 <= time(NULL) + AHEAD_S ||
	       err_set(e, ERR_INPUT,
		       "measured_at: '%.40s' is in the future; check the clock "
		       "of the machine that measured",
		       is->measured_at);
}

/* Checks the document and stores it. *platform is the platform that it belongs
 * to. */
static bool ceilings_store(struct call *c, const json_t *body,
	const char **platform, struct err *e)
{
	const struct catalog *k = call_catalog(c, e);
	const struct platform *p;
	struct platform_ceilings_row row;
	struct ceilings is;
	char *text = json_dumps(body, JSON_COMPACT);
	row.document = arena_strdup(&c->s.arena, text);
	free(text);
	if (!k || !ceilings_read(row.document, &c->s.arena, &is, e) ||
		!ceilings_moment(&is, &row.measured, e) ||
		!(p = ceilings_platform(k, &is, e)))
		return false;
	*platform = row.platform = p->name;
	audit_record_describe(c, NULL, "%u ceilings of %s", is.n, p->name);
	return call_db(c, e) && platform_ceilings_store(c->s.db, &row, e);
}

json_t *ceilings_post(struct call *c, struct err *e)
{
	const char *platform = NULL;
	json_t *body = request_body_read(c,
		"device|platform|driver|cuda|measured_at|items", e);
	bool ok = body && ceilings_store(c, body, &platform, e);
	json_decref(body);
	return ok ? ceilings_listed(c, platform, e) : NULL;
}

json_t *ceilings_delete(struct call *c, struct err *e)
{
	if (call_db(c, e))
		platform_ceilings_delete(c->s.db, c->word, e);
	return NULL;
}
