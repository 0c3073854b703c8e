/* gate_text.c - writes a stored gate in four formats; every name is escaped for
 * its format. */
#include "view_gate.h"
#include "buf.h"
#include "decimals.h"
#include "table.h"
#include "utf8.h"
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* Names of kernels can have any length. Here they are cut; the answer as JSON
 * contains the full names. */
enum { NAME_BYTES = 160 };

/* The text of a member; "" if it is null or absent. */
static const char *gate_text_member(const json_t *v, const char *key)
{
	const char *s = json_string_value(json_object_get(v, key));
	return s ? s : "";
}

/* The number of a member; NaN if it is null. */
static double gate_text_real(const json_t *v, const char *key)
{
	const json_t *x = json_object_get(v, key);
	return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

static long long gate_text_whole(const json_t *v, const char *key)
{
	return json_integer_value(json_object_get(v, key));
}

/* The unit of a measure; "" for plain numbers, whose unit is 1. */
static const char *gate_text_unit(const json_t *rule)
{
	const char *unit = gate_text_member(rule, "unit");
	return strcmp(unit, "1") ? unit : "";
}

/* Whether a lower value is worse: the limit is one of a fall then. */
static bool gate_text_falls(const json_t *rule)
{
	return json_is_true(json_object_get(rule, "fall"));
}

/* What a rule limits: the change relative to its base, or as a percentage of the
 * base's iteration. */
struct gate_text_limited {
	bool iteration;
	double limit, change, low, high;
	const char *unit;
};

static struct gate_text_limited gate_text_limited_of(const json_t *rule)
{
	double limit = gate_text_real(rule, "iteration_limit_pct");
	if (isfinite(limit))
		return (struct gate_text_limited){ true, limit,
			gate_text_real(rule, "iteration_change_pct"),
			gate_text_real(rule, "iteration_low_pct"),
			gate_text_real(rule, "iteration_high_pct"),
			"% of the iteration" };
	return (struct gate_text_limited){ false,
		gate_text_real(rule, "limit_pct") *
			(gate_text_falls(rule) ? -1 : 1),
		gate_text_real(rule, "change_pct"),
		gate_text_real(rule, "low_pct"),
		gate_text_real(rule, "high_pct"), "%" };
}

/* The length at which a name is cut, and the mark of the cut. */
static size_t gate_text_name_clip(const char *s, const char **rest)
{
	size_t len = strlen(s);
	*rest = len > NAME_BYTES ? "…" : "";
	return utf8_clip(s, len, NAME_BYTES);
}

/* Adds one sentence: how much of alpha the gate got, and why. Nothing if an
 * earlier release stored the gate. */
static void gate_text_budget(const json_t *gate, struct buf *b)
{
	const json_t *v = json_object_get(gate, "budget");
	double requested =
		gate_text_real(json_object_get(gate, "policy"), "alpha");
	double alpha = gate_text_real(v, "alpha");
	const char *commit = gate_text_member(v, "commit"), *rest;
	size_t len = gate_text_name_clip(commit, &rest);
	if (json_is_integer(json_object_get(v, "gate")))
		buf_printf(b,
			"This is gate %lld of %lld of commit %.*s%s so far: "
			"its alpha is %.3g (%.3g was requested; later gates of "
			"a commit get less).",
			gate_text_whole(v, "gate"), gate_text_whole(v, "gates"),
			(int)len, commit, rest, alpha, requested);
	else if (isfinite(alpha))
		buf_printf(b, "Alpha is %.3g: %s.", alpha,
			gate_text_member(v, "reason"));
}

/* Outcomes as words, for example "bad data" for "bad_data". */
static const char *gate_text_outcome(const char *word)
{
	return !strcmp(word, "bad_data") ? "bad data" : word;
}

void gate_text_xml(struct buf *b, const char *s, size_t len)
{
	for (const char *end = s + len; s < end; s++) {
		unsigned char c = (unsigned char)*s;
		if (c == '&')
			buf_puts(b, "&amp;");
		else if (c == '<')
			buf_puts(b, "&lt;");
		else if (c == '>')
			buf_puts(b, "&gt;");
		else if (c == '"')
			buf_puts(b, "&quot;");
		else if (c == '\t' || c == '\n' || c == '\r')
			buf_printf(b, "&#%d;", c);
		else if (c < 0x20)
			buf_puts(b, "\xef\xbf\xbd");
		else if (end - s > 2 &&
			 (!memcmp(s, "\xef\xbf\xbe", 3) ||
				 !memcmp(s, "\xef\xbf\xbf", 3))) {
			buf_puts(b, "\xef\xbf\xbd");
			s += 2;
		} else
			buf_add(b, s, 1);
	}
}

/* ---- Markdown: the comment that people read in a pull request */

/* GitHub limits a comment to 65,536 characters. */
enum { ROWS = 25, FINDINGS = 20, TEXT_BYTES = 600 };

/* Whether the character needs no escape. Some characters are markup only at the
 * beginning of a text. A ':' can be part of an address, unless a space follows;
 * a '.' can follow "www". */
static bool gate_text_md_plain(const char *start, const char *s)
{
	if (isalnum((unsigned char)*s) || (unsigned char)*s >= 0x80)
		return true;
	if (s == start)
		return false;
	return strchr(" ,;-()/+=%'?!", *s) || (*s == ':' && s[1] == ' ') ||
	       (*s == '.' && tolower((unsigned char)s[-1]) != 'w');
}

static void gate_text_md_character(struct buf *b, const char *start,
	const char *s)
{
	if ((unsigned char)*s < 0x20 || *s == 0x7f)
		buf_puts(b, " ");
	else if (gate_text_md_plain(start, s))
		buf_add(b, s, 1);
	else
		buf_printf(b, "&#%d;", *s);
}

/* Adds an invisible space (of zero width) after '@' and '#'. The reason:
 * mentions and references are searched in the finished page, after the escapes
 * have been removed. */
static void gate_text_md_text(struct buf *b, const char *s)
{
	size_t len = strlen(s), digits = strspn(s, "0123456789");
	const char *rest = len > TEXT_BYTES ? "…" : "";
	len = utf8_clip(s, len, TEXT_BYTES);
	for (size_t i = 0; i < len; i++) {
		if (i == digits && i && strchr(".)", s[i]))
			/* without this, "1. " would begin a list */
			buf_printf(b, "&#%d;", s[i]);
		else
			gate_text_md_character(b, s, s + i);
		if (strchr("@#", s[i]))
			buf_puts(b, "&#8203;");
	}
	buf_puts(b, rest);
}

/* Writes a name in <code>, so that nothing in it is read as a mention, a link
 * or a formula. */
static void gate_text_md_name(struct buf *b, const char *s)
{
	const char *rest;
	size_t len = gate_text_name_clip(s, &rest);
	buf_puts(b, "<code>");
	for (size_t i = 0; i < len; i++)
		gate_text_md_character(b, s, s + i);
	buf_printf(b, "%s</code>", rest);
}

static const char *gate_text_md_mark(const char *outcome)
{
	return !strcmp(outcome, "pass")	       ? "✅"
	       : !strcmp(outcome, "regressed") ? "❌"
	       : !strcmp(outcome, "undecided") ? "❔"
					       : "⚠️";
}

static void gate_text_md_head(const json_t *gate, const char *site,
	struct buf *b)
{
	const char *called = gate_text_member(gate, "name");
	const char *outcome = gate_text_member(gate, "outcome");
	char path[64];

	snprintf(path, sizeof path, "/gates/%lld", gate_text_whole(gate, "id"));
	table_md_heading(b, gate_text_md_mark(outcome), "Gate", site, path);
	buf_printf(b, ": %s", gate_text_outcome(outcome));
	if (*called) {
		buf_puts(b, " (");
		gate_text_md_text(b, called);
		buf_puts(b, ")");
	}
	buf_puts(b, "\n\n");
	gate_text_md_text(b, gate_text_member(gate, "summary"));
	buf_puts(b, "\n");
}

static void gate_text_md_rule_name(const json_t *r, struct buf *b)
{
	const char *of = gate_text_member(r, "of");
	const char *device = gate_text_member(r, "device");
	buf_puts(b, gate_text_member(r, "rule"));
	if (*of) {
		buf_puts(b, " ");
		gate_text_md_name(b, of);
	}
	if (*device) {
		buf_puts(b, " on ");
		gate_text_md_name(b, device);
	}
}

/* The time of a side or, if the rule has none, its bandwidth or measure. */
static void gate_text_md_value(struct buf *b, const json_t *r, const char *ns,
	const char *gb_s, const char *value)
{
	double time = gate_text_real(r, ns),
	       bandwidth = gate_text_real(r, gb_s),
	       measure = gate_text_real(r, value);
	buf_puts(b, " | ");
	if (isfinite(time))
		buf_printf(b, "%.2f", time / 1e3);
	else if (isfinite(bandwidth))
		buf_printf(b, "%.4g GB/s", bandwidth);
	else if (isfinite(measure)) {
		buf_printf(b, "%.4g ", measure);
		gate_text_md_text(b, gate_text_unit(r));
	}
}

/* Writes the change relative to the base and, if the limit is one of the
 * iteration, that part of it. */
static void gate_text_md_change(struct buf *b, const json_t *r,
	const struct gate_text_limited *is)
{
	double own = gate_text_real(r, "change_pct");
	int decimals = decimals_near_limit(is->change, is->limit, 2);
	bool known = isfinite(is->change);
	buf_puts(b, " | ");
	if (!is->iteration && known)
		buf_printf(b, "%+.*f %%", decimals, is->change);
	else if (isfinite(own))
		buf_printf(b, "%+.2f %%%s", own, known ? ", " : "");
	if (is->iteration && known)
		buf_printf(b, "%+.*f %s", decimals, is->change, is->unit);
}

static void gate_text_md_interval(struct buf *b,
	const struct gate_text_limited *is)
{
	buf_puts(b, " | ");
	if (isfinite(is->low) && isfinite(is->high))
		buf_printf(b, "%+.2f to %+.2f %s", is->low, is->high, is->unit);
}

static void gate_text_md_probability(struct buf *b, const json_t *r,
	const char *key)
{
	double p = gate_text_real(r, key);
	buf_puts(b, " | ");
	if (isfinite(p))
		buf_printf(b, "%.2g", p);
}

static void gate_text_md_row(const json_t *r, struct buf *b)
{
	struct gate_text_limited is = gate_text_limited_of(r);
	buf_printf(b, "| %s | ",
		gate_text_outcome(gate_text_member(r, "outcome")));
	gate_text_md_rule_name(r, b);
	gate_text_md_value(b, r, "base_ns", "base_gb_s", "base_value");
	gate_text_md_value(b, r, "head_ns", "head_gb_s", "head_value");
	gate_text_md_change(b, r, &is);
	gate_text_md_interval(b, &is);
	buf_puts(b, " | ");
	if (isfinite(is.limit))
		buf_printf(b, "%g %s", is.limit, is.unit);
	gate_text_md_probability(b, r, "p");
	gate_text_md_probability(b, r, "p_family");
	gate_text_md_probability(b, r, "alpha");
	buf_puts(b, " |\n");
}

static void gate_text_md_rules(const json_t *gate, struct buf *b)
{
	const json_t *list = json_object_get(gate, "rules");
	size_t n = json_array_size(list);
	long long more = gate_text_whole(gate, "rules_excluded");
	if (!n)
		return;
	buf_puts(b, "\n| Outcome | Rule | Base (µs) | Head (µs) | Change | "
		    "95 % interval | Limit | p (one-sided) | p family | Alpha "
		    "|\n"
		    "|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
	for (size_t i = 0; i < n && i < ROWS; i++)
		gate_text_md_row(json_array_get(list, i), b);
	if (n > ROWS)
		more += (long long)(n - ROWS);
	if (more)
		buf_printf(b, "\n%lld more are in the gate's JSON.\n", more);
}

static void gate_text_md_budget(const json_t *gate, struct buf *b)
{
	struct buf text;
	buf_init(&text, TEXT_BYTES);
	gate_text_budget(gate, &text);
	if (text.len) {
		buf_puts(b, "\n");
		gate_text_md_text(b, text.at);
		buf_puts(b, "\n");
	}
	buf_release(&text);
}

/* Writes the sentence of each rule whose sentence contains more than its
 * figures. */
static void gate_text_md_sentences(const json_t *gate, struct buf *b)
{
	size_t i, printed = 0;
	json_t *r;
	json_array_foreach(json_object_get(gate, "rules"), i, r)
	{
		const char *sentence = gate_text_member(r, "summary");
		if (i == ROWS)
			break;
		if (!*sentence ||
			!strcmp(gate_text_member(r, "outcome"), "pass"))
			continue;
		buf_puts(b, printed++ ? "- " : "\n- ");
		gate_text_md_text(b, sentence);
		buf_puts(b, "\n");
	}
}

static void gate_text_md_shortfalls(const json_t *gate, struct buf *b)
{
	const json_t *list = json_object_get(gate, "data_problems");
	size_t i;
	json_t *each;
	if (!json_array_size(list))
		return;
	buf_puts(b, "\n### Data problems\n\n");
	json_array_foreach((json_t *)list, i, each)
	{
		buf_puts(b, "- ");
		gate_text_md_text(b, gate_text_member(each, "message"));
		buf_puts(b, "\n");
	}
}

static void gate_text_md_deciding(const json_t *gate, struct buf *b)
{
	long long needed = gate_text_whole(gate, "runs_needed");
	long long there =
		gate_text_whole(json_object_get(gate, "head"), "units");
	if (!needed)
		return;
	buf_puts(b, "\n### Runs needed\n\n");
	if (needed < 0)
		buf_puts(b,
			"More runs or commits of the baseline; more runs of the head "
			"are not enough.\n");
	else
		buf_printf(b, "%lld runs of the head in total; it has %lld.\n",
			needed, there);
}

static void gate_text_md_findings(const json_t *gate, struct buf *b)
{
	const json_t *list = json_object_get(gate, "findings");
	size_t i;
	json_t *each;
	if (!json_array_size(list))
		return;
	buf_puts(b, "\n### Findings\n\n");
	json_array_foreach((json_t *)list, i, each)
	{
		if (i == FINDINGS)
			break;
		buf_printf(b, "- **%s**: ", gate_text_member(each, "severity"));
		gate_text_md_text(b, gate_text_member(each, "message"));
		buf_puts(b, "\n");
	}
}

static void gate_text_md_side(const json_t *gate, const char *key,
	struct buf *b)
{
	const json_t *v = json_object_get(gate, key);
	long long units = gate_text_whole(v, "units");
	long long iterations = gate_text_whole(v, "iterations");
	buf_printf(b, ", %s ", key);
	gate_text_md_name(b, gate_text_member(v, "query"));
	buf_printf(b, " (%lld %s, %lld %s)", units,
		units == 1 ? "unit" : "units", iterations,
		iterations == 1 ? "iteration" : "iterations");
}

static void gate_text_md_foot(const json_t *gate, const char *site,
	struct buf *b)
{
	long long id = gate_text_whole(gate, "id");
	buf_puts(b, "\nProject ");
	gate_text_md_name(b, gate_text_member(gate, "project"));
	buf_puts(b, ", workload ");
	gate_text_md_name(b, gate_text_member(gate, "workload"));
	gate_text_md_side(gate, "base", b);
	gate_text_md_side(gate, "head", b);
	if (site)
		buf_printf(b,
			". [Gate %lld](<%s/gates/%lld>), "
			"[comparison](<%s%s>).\n",
			id, site, id, site, gate_text_member(gate, "compare"));
	else
		buf_printf(b, ". Gate %lld.\n", id);
}

void gate_text_md(const json_t *gate, const char *site, struct buf *b)
{
	gate_text_md_head(gate, site, b);
	gate_text_md_shortfalls(gate, b);
	gate_text_md_rules(gate, b);
	gate_text_md_sentences(gate, b);
	gate_text_md_budget(gate, b);
	gate_text_md_deciding(gate, b);
	gate_text_md_findings(gate, b);
	gate_text_md_foot(gate, site, b);
}

/* ---- JUnit: a case for the data, and a case for each rule
 *
 * The attributes and elements are those that the readers of GitHub and GitLab
 * and the schemas of Jenkins and Ant have in common. */

static void gate_text_junit_attribute(struct buf *b, const char *key,
	const char *s)
{
	buf_printf(b, " %s=\"", key);
	gate_text_xml(b, s, strlen(s));
	buf_puts(b, "\"");
}

static const char *gate_text_junit_class_of(const json_t *gate)
{
	const char *workload = gate_text_member(gate, "workload");
	return *workload ? workload : "kernsift";
}

/* For example "function NAME on GPU 0". */
static void gate_text_junit_case_name(struct buf *b, const json_t *r)
{
	const char *of = gate_text_member(r, "of");
	const char *device = gate_text_member(r, "device");
	const char *rest;
	size_t len = gate_text_name_clip(of, &rest);
	buf_printf(b, " name=\"%s%s", gate_text_member(r, "rule"),
		*of ? " " : "");
	gate_text_xml(b, of, len);
	buf_puts(b, rest);
	buf_puts(b, *device ? " on " : "");
	gate_text_xml(b, device, strlen(device));
	buf_puts(b, "\"");
}

static void gate_text_junit_figure(struct buf *b, const char *what,
	const char *unit, double x)
{
	if (!isfinite(x))
		return;
	buf_printf(b, "%s: %.6g%s", what, x, *unit ? " " : "");
	gate_text_xml(b, unit, strlen(unit));
	buf_puts(b, "\n");
}

static void gate_text_junit_figures(struct buf *b, const json_t *r)
{
	struct gate_text_limited is = gate_text_limited_of(r);
	gate_text_junit_figure(b, "base", "ns", gate_text_real(r, "base_ns"));
	gate_text_junit_figure(b, "head", "ns", gate_text_real(r, "head_ns"));
	gate_text_junit_figure(b, "base", "GB/s",
		gate_text_real(r, "base_gb_s"));
	gate_text_junit_figure(b, "head", "GB/s",
		gate_text_real(r, "head_gb_s"));
	gate_text_junit_figure(b, "base", gate_text_unit(r),
		gate_text_real(r, "base_value"));
	gate_text_junit_figure(b, "head", gate_text_unit(r),
		gate_text_real(r, "head_value"));
	gate_text_junit_figure(b, "change", "%",
		gate_text_real(r, "change_pct"));
	if (is.iteration)
		gate_text_junit_figure(b, "change", is.unit, is.change);
	gate_text_junit_figure(b, "95 % interval from", is.unit, is.low);
	gate_text_junit_figure(b, "95 % interval to", is.unit, is.high);
	gate_text_junit_figure(b, "limit", is.unit, is.limit);
	gate_text_junit_figure(b, "p (one-sided)", "", gate_text_real(r, "p"));
	gate_text_junit_figure(b, "p family", "",
		gate_text_real(r, "p_family"));
	gate_text_junit_figure(b, "alpha", "", gate_text_real(r, "alpha"));
}

static void gate_text_junit_rule(const json_t *gate, const json_t *r,
	struct buf *b)
{
	const char *outcome = gate_text_member(r, "outcome");
	const char *sentence = gate_text_member(r, "summary");
	bool failed = !strcmp(outcome, "regressed");
	buf_puts(b, "    <testcase");
	gate_text_junit_case_name(b, r);
	gate_text_junit_attribute(b, "classname",
		gate_text_junit_class_of(gate));
	buf_puts(b, " time=\"0\"");
	if (!strcmp(outcome, "pass")) {
		buf_puts(b, "/>\n");
		return;
	}
	buf_printf(b, ">\n      <%s", failed ? "failure" : "skipped");
	gate_text_junit_attribute(b, "message", sentence);
	if (failed) {
		buf_puts(b, " type=\"regressed\">");
		gate_text_junit_figures(b, r);
		buf_puts(b, "</failure>");
	} else {
		buf_puts(b, "/>");
	}
	buf_puts(b, "\n    </testcase>\n");
}

/* The case of the data fails at most once. Its message is the sentence of the
 * first data problem; its text lists all data problems. */
static void gate_text_junit_data(const json_t *gate, struct buf *b)
{
	const json_t *list = json_object_get(gate, "data_problems");
	const json_t *first = json_array_get(list, 0);
	bool bad = !strcmp(gate_text_member(gate, "outcome"), "bad_data");
	size_t i;
	json_t *each;
	buf_puts(b, "    <testcase name=\"data\"");
	gate_text_junit_attribute(b, "classname",
		gate_text_junit_class_of(gate));
	buf_puts(b, " time=\"0\"");
	if (!bad) {
		buf_puts(b, "/>\n");
		return;
	}
	buf_puts(b, ">\n      <error");
	gate_text_junit_attribute(b, "message",
		gate_text_member(first ? first : gate,
			first ? "message" : "summary"));
	buf_puts(b, " type=\"bad_data\">");
	json_array_foreach((json_t *)list, i, each)
	{
		const char *message = gate_text_member(each, "message");
		gate_text_xml(b, message, strlen(message));
		buf_puts(b, "\n");
	}
	buf_puts(b, "</error>\n    </testcase>\n");
}

static size_t gate_text_junit_count(const json_t *rules, const char *outcome)
{
	size_t i, n = 0;
	json_t *r;
	json_array_foreach((json_t *)rules, i, r)
	{
		n += !strcmp(gate_text_member(r, "outcome"), outcome);
	}
	return n;
}

static void gate_text_junit_counts(const json_t *gate, struct buf *b)
{
	const json_t *rules = json_object_get(gate, "rules");
	buf_printf(b,
		" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\""
		" time=\"0\"",
		json_array_size(rules) + 1,
		gate_text_junit_count(rules, "regressed"),
		!strcmp(gate_text_member(gate, "outcome"), "bad_data"),
		gate_text_junit_count(rules, "undecided"));
}

static void gate_text_junit_property(struct buf *b, const char *key,
	const char *value)
{
	buf_printf(b, "      <property name=\"%s\"", key);
	gate_text_junit_attribute(b, "value", value);
	buf_puts(b, "/>\n");
}

static void gate_text_junit_budget(const json_t *gate, struct buf *b)
{
	struct buf text;
	buf_init(&text, TEXT_BYTES);
	gate_text_budget(gate, &text);
	if (text.len)
		gate_text_junit_property(b, "budget", text.at);
	buf_release(&text);
}

static void gate_text_junit_properties(const json_t *gate, const char *site,
	struct buf *b)
{
	buf_puts(b, "    <properties>\n");
	gate_text_junit_property(b, "outcome",
		gate_text_member(gate, "outcome"));
	gate_text_junit_property(b, "summary",
		gate_text_member(gate, "summary"));
	gate_text_junit_property(b, "project",
		gate_text_member(gate, "project"));
	gate_text_junit_property(b, "base",
		gate_text_member(json_object_get(gate, "base"), "query"));
	gate_text_junit_property(b, "head",
		gate_text_member(json_object_get(gate, "head"), "query"));
	gate_text_junit_budget(gate, b);
	if (site) {
		buf_puts(b, "      <property name=\"gate\" value=\"");
		gate_text_xml(b, site, strlen(site));
		buf_printf(b, "/gates/%lld\"/>\n", gate_text_whole(gate, "id"));
	}
	buf_puts(b, "    </properties>\n");
}

void gate_text_junit(const json_t *gate, const char *site, struct buf *b)
{
	const char *name = gate_text_member(gate, "name");
	const char *at = gate_text_member(gate, "created_at");
	size_t i;
	json_t *r;
	buf_puts(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	gate_text_junit_attribute(b, "name", *name ? name : "kernsift gate");
	gate_text_junit_counts(gate, b);
	buf_puts(b, ">\n  <testsuite");
	gate_text_junit_attribute(b, "name", *name ? name : "kernsift gate");
	gate_text_junit_counts(gate, b);
	/* UTC without fraction and zone, as the schema of Ant requires */
	buf_printf(b, " timestamp=\"%.19s\" hostname=\"kernsift\">\n", at);
	gate_text_junit_properties(gate, site, b);
	gate_text_junit_data(gate, b);
	json_array_foreach(json_object_get(gate, "rules"), i, r)
	{
		gate_text_junit_rule(gate, r, b);
	}
	buf_puts(b, "  </testsuite>\n</testsuites>\n");
}

/* ---- GitHub: workflow commands, one per line, which the runner finds in the
 * output of a job */

/* GitHub shows at most ten annotations of each kind per step. */
enum { GITHUB_LINES = 9 };

/* Escapes like escapeData() of actions/toolkit, and like escapeProperty() for a
 * property. */
static void gate_text_github_escaped(struct buf *b, const char *s,
	bool property)
{
	for (; *s; s++)
		if (*s == '%' || *s == '\r' || *s == '\n' ||
			(property && (*s == ':' || *s == ',')))
			buf_printf(b, "%%%02X", *s);
		else
			buf_add(b, s, 1);
}

static void gate_text_github_command(struct buf *b, const char *kind,
	const char *title, const char *of, const char *message)
{
	const char *rest;
	size_t len = gate_text_name_clip(of, &rest);
	char shown[NAME_BYTES + 1] = "";
	memcpy(shown, of, len);
	buf_printf(b, "::%s title=", kind);
	gate_text_github_escaped(b, title, true);
	buf_puts(b, len ? " " : "");
	gate_text_github_escaped(b, shown, true);
	buf_printf(b, "%s::", rest);
	gate_text_github_escaped(b, message, false);
	buf_puts(b, "\n");
}

static const char *gate_text_github_kind_of(const char *outcome)
{
	if (!strcmp(outcome, "pass"))
		return "notice";
	return !strcmp(outcome, "undecided") ? "warning" : "error";
}

static void gate_text_github_outcome(const json_t *gate, const char *site,
	struct buf *b)
{
	const char *is = gate_text_member(gate, "outcome");
	const char *name = gate_text_member(gate, "name");
	buf_printf(b, "::%s title=Gate%%3A %s%s", gate_text_github_kind_of(is),
		gate_text_outcome(is), *name ? "%2C " : "");
	gate_text_github_escaped(b, name, true);
	buf_puts(b, "::");
	gate_text_github_escaped(b, gate_text_member(gate, "summary"), false);
	if (site) {
		buf_puts(b, " (");
		gate_text_github_escaped(b, site, false);
		buf_printf(b, "/gates/%lld)", gate_text_whole(gate, "id"));
	}
	buf_puts(b, "\n");
}

/* Writes the first rules that have this outcome. */
static void gate_text_github_rules(const json_t *gate, const char *is,
	struct buf *b)
{
	size_t i;
	int printed = 0;
	json_t *r;
	json_array_foreach(json_object_get(gate, "rules"), i, r)
	{
		if (printed == GITHUB_LINES ||
			strcmp(gate_text_member(r, "outcome"), is))
			continue;
		printed++;
		gate_text_github_command(b, gate_text_github_kind_of(is),
			gate_text_member(r, "rule"), gate_text_member(r, "of"),
			gate_text_member(r, "summary"));
	}
}

void gate_text_github(const json_t *gate, const char *site, struct buf *b)
{
	size_t i;
	json_t *each;
	gate_text_github_outcome(gate, site, b);
	json_array_foreach(json_object_get(gate, "data_problems"), i, each)
	{
		if (i == GITHUB_LINES)
			break;
		gate_text_github_command(b, "error",
			gate_text_member(each, "code"), "",
			gate_text_member(each, "message"));
	}
	gate_text_github_rules(gate, "regressed", b);
	gate_text_github_rules(gate, "undecided", b);
}

/* ---- the badge: two words. The width of a text is computed for the widest
 * letters of an 11 px font, and textLength fits any font to this width */

enum { EM = 7, PAD = 6, LABEL_BYTES = 60 };

static const char *gate_text_svg_color(const char *outcome)
{
	/* white text has a contrast of at least 4.5 on each of these */
	static const char *const colors[][2] = { { "pass", "#1a7f37" },
		{ "regressed", "#cf222e" }, { "undecided", "#8a5a00" },
		{ "bad_data", "#8250df" } };
	for (size_t i = 0; outcome && i < sizeof colors / sizeof *colors; i++)
		if (!strcmp(outcome, colors[i][0]))
			return colors[i][1];
	return "#57606a";
}

static int gate_text_svg_width(const char *s, size_t len)
{
	int n = 0;
	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n * EM;
}

static void gate_text_svg_word(struct buf *b, int at, int wide, const char *s,
	size_t len)
{
	buf_printf(b, "<text x=\"%d\" y=\"14\" textLength=\"%d\">", at, wide);
	gate_text_xml(b, s, len);
	buf_puts(b, "</text>\n");
}

void gate_text_svg(const char *label, const char *outcome, struct buf *b)
{
	const char *word = outcome ? gate_text_outcome(outcome) : "no gate";
	size_t len = utf8_clip(label, strlen(label), LABEL_BYTES);
	int left = gate_text_svg_width(label, len),
	    right = gate_text_svg_width(word, strlen(word));
	int split = left + 2 * PAD, whole = split + right + 2 * PAD;
	buf_printf(b,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"20\" role=\"img\" aria-labelledby=\"t\">\n"
		"<title id=\"t\">",
		whole);
	gate_text_xml(b, label, len);
	buf_printf(b,
		": %s</title>\n"
		"<rect width=\"%d\" height=\"20\" rx=\"3\" fill=\"%s\"/>\n"
		"<path d=\"M3 0h%dv20h-%da3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z\" "
		"fill=\"#32383f\"/>\n"
		"<g fill=\"#fff\" font-family=\"Verdana,DejaVu "
		"Sans,sans-serif\" "
		"font-size=\"11\" aria-hidden=\"true\">\n",
		word, whole, gate_text_svg_color(outcome), split - 3,
		split - 3);
	gate_text_svg_word(b, PAD, left, label, len);
	gate_text_svg_word(b, split + PAD, right, word, strlen(word));
	buf_puts(b, "</g>\n</svg>\n");
}
