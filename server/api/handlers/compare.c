/* compare.c - compares two sides and returns what changed. */
#include "call.h"
#include "concurrency_limit.h"
#include "listing.h"
#include "compare_sides.h"
#include "run_selection.h"
#include "suspicion.h"
#include "url_encode.h"
#include "view_compare.h"
#include <string.h>

enum { REPORT_BYTES = 64 << 20 };

static int64_t compare_group_param(struct call *c)
{
	const struct param *p = param(&c->params, "group");
	return p->given ? p->whole : COMPARE_LARGEST;
}

/* Reads the sides from the parameters base, head and range. */
static bool compare_sides_from_params(struct call *c, struct compare_sides *s,
	struct err *e)
{
	struct run_selection base, head;
	const struct params *p = &c->params;
	return run_selection_sides(&c->s, param_text(p, "base", NULL),
		       param_text(p, "head", NULL), NULL, &base, &head, e) &&
	       compare_sides_read(&c->s, &base, &head,
		       param_text(p, "range", NULL), s, e);
}

/* Sets the CSV or Markdown table and its file name, which says what the table
 * contains. */
static void compare_named(struct call *c)
{
	static const char *const endings[] = { "json", "csv", "md" };
	c->format = (enum table_format)param(&c->params, "format")->whole;
	snprintf(c->disposition, sizeof c->disposition,
		"inline; filename=\"comparison.%s\"", endings[c->format]);
}

static json_t *compare_as_table(struct call *c, const struct table *t)
{
	compare_named(c);
	c->table = t;
	return NULL;
}

static json_t *compare_as_report(struct call *c, struct buf *b, struct err *e)
{
	if (b->full) {
		buf_release(b);
		err_set(e, ERR_TOO_LARGE,
			"the report is larger than %d MiB; compare fewer runs",
			REPORT_BYTES >> 20);
		return NULL;
	}
	compare_named(c);
	c->text = buf_take(b, &c->text_len);
	c->text_type = "text/markdown; charset=utf-8";
	return NULL;
}

/* The ids of the runs of a side, so that the link shows the same later. A job is a side of
 * its own: its ranks are compared as one. */
static void compare_link_side(const struct call *c, const char *name,
	const struct compared_run *runs, uint32_t n, struct buf *b)
{
	const char *given = param_text(&c->params, name, "");

	buf_printf(b, "%s=", name);
	if (!strncmp(given, "job:", 4)) {
		url_encode(b, given, strlen(given));
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		buf_printf(b, "%s%lld", i ? "," : "", (long long)runs[i].id);
}

/* The page that shows the comparison. */
static void compare_link(const struct call *c, const struct compare_sides *s,
	struct buf *b)
{
	static const char *const not_of_page[] = { "base", "head", "format",
		"site", "score", NULL };
	struct buf rest;

	buf_puts(b, "/compare?");
	compare_link_side(c, "base", s->base, s->base_n, b);
	buf_puts(b, "&");
	compare_link_side(c, "head", s->head, s->head_n, b);
	buf_init(&rest, REPORT_BYTES);
	listing_query(c, not_of_page, &rest);
	if (rest.len) {
		buf_puts(b, "&");
		buf_add(b, rest.at, rest.len);
	}
	buf_release(&rest);
}

/* The sentence, the tables, and the link to the page if there is a site. */
static json_t *compare_report(struct call *c, const struct comparison *is,
	const struct compare_sides *s, struct err *e)
{
	struct buf b, path;
	const char *site;

	if (!listing_site(c, &site, e))
		return NULL;
	buf_init(&path, REPORT_BYTES);
	compare_link(c, s, &path);
	buf_init(&b, REPORT_BYTES);
	view_compare_report(&c->s.arena, is, s, site, path.at, &b);
	buf_release(&path);
	return compare_as_report(c, &b, e);
}

static json_t *compare_published(struct call *c, const struct compare_sides *s,
	struct err *e)
{
	struct comparison around;
	struct suspicion sus;
	struct buf b;
	if (!suspicion_from(s->base, s->base_n, s->head, s->head_n, &c->s.arena,
		    &sus, e) ||
		!compare_findings(s->base, s->base_n, s->head, s->head_n,
			&c->s.arena, &around, e))
		return NULL;
	switch ((enum table_format)param(&c->params, "format")->whole) {
	case TABLE_JSON:
		return view_suspicion(&sus, &around, s);
	case TABLE_CSV:
		return compare_as_table(c,
			view_suspicion_table(&c->s.arena, &sus));
	case TABLE_MD:
		break;
	}
	buf_init(&b, REPORT_BYTES);
	view_suspicion_report(&sus, &c->s.arena, &b);
	return compare_as_report(c, &b, e);
}

static json_t *compare_verdict(struct call *c, const struct compare_sides *s,
	struct err *e)
{
	struct compare_options o = COMPARE_OPTIONS;
	const struct param *floor = param(&c->params, "noise_floor");
	struct comparison cmp;
	struct repeats repeats;
	if (floor->given)
		o.floor = floor->real;
	o.group = compare_group_param(c);
	o.margin = param(&c->params, "margin")->real;
	o.seed = (uint64_t)param(&c->params, "seed")->whole;
	if (!compare_sides_repeats(&c->s, s, NULL, &repeats, e))
		return NULL;
	call_db_return(c); /* the rest takes time and needs no database */
	if (!compare_from(s->base, s->base_n, s->head, s->head_n, &repeats, &o,
		    &c->s.arena, &cmp, e))
		return NULL;
	switch ((enum table_format)param(&c->params, "format")->whole) {
	case TABLE_JSON:
		return view_compare(&c->s.arena, &cmp, s);
	case TABLE_CSV:
		return compare_as_table(c,
			view_compare_table(&c->s.arena, &cmp));
	case TABLE_MD:
		break;
	}
	return compare_report(c, &cmp, s, e);
}

json_t *compare_get(struct call *c, struct err *e)
{
	struct compare_sides s;
	const char *score = param(&c->params, "score")->text;
	if (!concurrency_limit_enter(c, e) ||
		!compare_sides_from_params(c, &s, e))
		return NULL;
	return strcmp(score, "published") ? compare_verdict(c, &s, e)
					  : compare_published(c, &s, e);
}

json_t *series_get(struct call *c, struct err *e)
{
	const char *function = param_text(&c->params, "function", NULL);
	const char *device = param_text(&c->params, "device", NULL);
	struct compare_series both[2];
	struct compare_sides s;
	const struct compare_function wants = { function, device,
		!strcmp(param(&c->params, "side")->text, "head"),
		compare_group_param(c) };
	if (!function) {
		err_set(e, ERR_INPUT,
			"function: is missing; give the full name of a "
			"function that /compare returns");
		return NULL;
	}
	if (!concurrency_limit_enter(c, e) ||
		!compare_sides_from_params(c, &s, e) ||
		!compare_series_from(s.base, s.base_n, s.head, s.head_n, &wants,
			&c->s.arena, both, e))
		return NULL;
	return view_compare_series(&c->s.arena, function, device, both);
}
