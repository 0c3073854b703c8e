/* gate_text.c - what a person reads below a pull request. */
#include "gate_text.h"
#include "gate_text_parts.h"
#include "decimals.h"
#include <ctype.h>

/* A comment holds 65,536 characters. */
enum { ROWS = 25, FINDINGS = 20, TEXT_BYTES = 600 };

/* The characters that are no markup anywhere but at the beginning; a ':' is part
 * of an address unless a space follows, a '.' may be after "www". */
static bool plain(const char *start, const char *s)
{
	if (isalnum((unsigned char)*s) || (unsigned char)*s >= 0x80)
		return true;
	if (s == start)
		return false;
	return strchr(" ,;-()/+=%'?!", *s) || (*s == ':' && s[1] == ' ') ||
	       (*s == '.' && tolower((unsigned char)s[-1]) != 'w');
}

static void character(struct buf *b, const char *start, const char *s)
{
	if ((unsigned char)*s < 0x20 || *s == 0x7f)
		buf_puts(b, " ");
	else if (plain(start, s))
		buf_add(b, s, 1);
	else
		buf_printf(b, "&#%d;", *s);
}

/* '@' and '#' get a space of no width behind them, since what becomes a mention or
 * a reference is looked for in the finished page, where no escape is left. */
static void text(struct buf *b, const char *s)
{
	size_t len = strlen(s), digits = strspn(s, "0123456789");
	const char *rest = len > TEXT_BYTES ? "…" : "";
	len = utf8_clip(s, len, TEXT_BYTES);
	for (size_t i = 0; i < len; i++) {
		if (i == digits && i && strchr(".)", s[i]))
			buf_printf(b, "&#%d;", s[i]); /* "1. " is a list */
		else
			character(b, s, s + i);
		if (strchr("@#", s[i]))
			buf_puts(b, "&#8203;");
	}
	buf_puts(b, rest);
}

/* A name: in <code> nothing is a mention, a link or a formula. */
static void name(struct buf *b, const char *s)
{
	const char *rest;
	size_t len = gate_name_shown(s, &rest);
	buf_puts(b, "<code>");
	for (size_t i = 0; i < len; i++)
		character(b, s, s + i);
	buf_printf(b, "%s</code>", rest);
}

static void head(const json_t *gate, struct buf *b)
{
	const char *called = gate_text_of(gate, "name");
	buf_printf(b, "## Gate: %s",
		gate_outcome_said(gate_text_of(gate, "outcome")));
	if (*called) {
		buf_puts(b, " (");
		text(b, called);
		buf_puts(b, ")");
	}
	buf_puts(b, "\n\n");
	text(b, gate_text_of(gate, "sentence"));
	buf_puts(b, "\n");
}

static void rule_name(const json_t *r, struct buf *b)
{
	const char *of = gate_text_of(r, "of");
	const char *device = gate_text_of(r, "device");
	buf_puts(b, gate_text_of(r, "rule"));
	if (*of) {
		buf_puts(b, " ");
		name(b, of);
	}
	if (*device) {
		buf_puts(b, " on ");
		name(b, device);
	}
}

static void duration(struct buf *b, double ns)
{
	buf_puts(b, " | ");
	if (isfinite(ns))
		buf_printf(b, "%.2f", ns / 1e3);
}

static void interval(struct buf *b, double low, double high, const char *unit)
{
	buf_puts(b, " | ");
	if (isfinite(low) && isfinite(high))
		buf_printf(b, "%+.2f to %+.2f %s", low, high, unit);
}

static void row(const json_t *r, struct buf *b)
{
	double change = gate_real_of(r, "change_pct");
	double limit = gate_real_of(r, "limit_pct");
	double p = gate_real_of(r, "p");
	const char *unit = gate_unit_of(r);
	buf_printf(b, "| %s | ", gate_outcome_said(gate_text_of(r, "outcome")));
	rule_name(r, b);
	duration(b, gate_real_of(r, "base_ns"));
	duration(b, gate_real_of(r, "head_ns"));
	buf_puts(b, " | ");
	if (isfinite(change))
		buf_printf(b, "%+.*f %s", decimals_beside(change, limit, 2),
			change, unit);
	interval(b, gate_real_of(r, "low_pct"), gate_real_of(r, "high_pct"),
		unit);
	buf_puts(b, " | ");
	if (isfinite(limit))
		buf_printf(b, "%g %s", limit, unit);
	buf_puts(b, " | ");
	if (isfinite(p))
		buf_printf(b, "%.2g", p);
	buf_puts(b, " |\n");
}

static void rules(const json_t *gate, struct buf *b)
{
	const json_t *list = json_object_get(gate, "rules");
	size_t n = json_array_size(list);
	long long more = gate_whole_of(gate, "rules_left_out");
	if (!n)
		return;
	buf_puts(b, "\n| Outcome | Rule | Base (µs) | Head (µs) | Change | "
		    "Interval "
		    "| Limit | p |\n"
		    "|:---|:---|---:|---:|---:|---:|---:|---:|\n");
	for (size_t i = 0; i < n && i < ROWS; i++)
		row(json_array_get(list, i), b);
	if (n > ROWS)
		more += (long long)(n - ROWS);
	if (more)
		buf_printf(b, "\n%lld more are in the gate's JSON.\n", more);
}

/* What each rule says of itself, where it has more to say than its figures. */
static void sentences(const json_t *gate, struct buf *b)
{
	size_t i, said = 0;
	json_t *r;
	json_array_foreach(json_object_get(gate, "rules"), i, r)
	{
		const char *sentence = gate_text_of(r, "sentence");
		if (i == ROWS)
			break;
		if (!*sentence || !strcmp(gate_text_of(r, "outcome"), "pass"))
			continue;
		buf_puts(b, said++ ? "- " : "\n- ");
		text(b, sentence);
		buf_puts(b, "\n");
	}
}

static void shortfalls(const json_t *gate, struct buf *b)
{
	const json_t *list = json_object_get(gate, "shortfalls");
	size_t i;
	json_t *each;
	if (!json_array_size(list))
		return;
	buf_puts(b, "\n### Why the data are no ground to judge on\n\n");
	json_array_foreach((json_t *)list, i, each)
	{
		buf_puts(b, "- ");
		text(b, gate_text_of(each, "message"));
		buf_puts(b, "\n");
	}
}

static void deciding(const json_t *gate, struct buf *b)
{
	long long needed = gate_whole_of(gate, "runs_needed");
	long long there = gate_whole_of(json_object_get(gate, "head"), "units");
	if (!needed)
		return;
	buf_puts(b, "\n### What would decide\n\n");
	if (needed < 0)
		buf_puts(b, "A larger baseline: more runs of the head would "
			    "not.\n");
	else
		buf_printf(b, "%lld runs of the head, in all; there %s %lld.\n",
			needed, there == 1 ? "is" : "are", there);
}

static void findings(const json_t *gate, struct buf *b)
{
	const json_t *list = json_object_get(gate, "findings");
	size_t i;
	json_t *each;
	if (!json_array_size(list))
		return;
	buf_puts(b, "\n### What to know of the runs\n\n");
	json_array_foreach((json_t *)list, i, each)
	{
		if (i == FINDINGS)
			break;
		buf_printf(b, "- **%s**: ", gate_text_of(each, "severity"));
		text(b, gate_text_of(each, "message"));
		buf_puts(b, "\n");
	}
}

static void side(const json_t *gate, const char *key, struct buf *b)
{
	const json_t *v = json_object_get(gate, key);
	long long units = gate_whole_of(v, "units");
	long long cycles = gate_whole_of(v, "cycles");
	buf_printf(b, ", %s ", key);
	name(b, gate_text_of(v, "asked"));
	buf_printf(b, " (%lld %s, %lld %s)", units,
		units == 1 ? "unit" : "units", cycles,
		cycles == 1 ? "cycle" : "cycles");
}

static void foot(const json_t *gate, const char *site, struct buf *b)
{
	long long id = gate_whole_of(gate, "id");
	buf_puts(b, "\nProject ");
	name(b, gate_text_of(gate, "project"));
	buf_puts(b, ", workload ");
	name(b, gate_text_of(gate, "workload"));
	side(gate, "base", b);
	side(gate, "head", b);
	if (site)
		buf_printf(b,
			". [Gate %lld](<%s/gates/%lld>), "
			"[comparison](<%s%s>).\n",
			id, site, id, site, gate_text_of(gate, "compare"));
	else
		buf_printf(b, ". Gate %lld.\n", id);
}

void gate_text_md(const json_t *gate, const char *site, struct buf *b)
{
	head(gate, b);
	shortfalls(gate, b);
	rules(gate, b);
	sentences(gate, b);
	deciding(gate, b);
	findings(gate, b);
	foot(gate, site, b);
}
