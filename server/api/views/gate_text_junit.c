/* gate_text_junit.c - a test suite: a case for the data, and one for each rule.
 *
 * Attributes and elements are those that GitHub's and GitLab's readers, Jenkins'
 * and Ant's schema agree on. */
#include "gate_text.h"
#include "gate_text_parts.h"
#include "xml_text.h"

static void attribute(struct buf *b, const char *key, const char *s)
{
	buf_printf(b, " %s=\"", key);
	xml_text(b, s, strlen(s));
	buf_puts(b, "\"");
}

static const char *class_of(const json_t *gate)
{
	const char *workload = gate_text_of(gate, "workload");
	return *workload ? workload : "kernsift";
}

/* "function NAME on GPU 0" */
static void case_name(struct buf *b, const json_t *r)
{
	const char *of = gate_text_of(r, "of");
	const char *device = gate_text_of(r, "device");
	const char *rest;
	size_t len = gate_name_shown(of, &rest);
	buf_printf(b, " name=\"%s%s", gate_text_of(r, "rule"), *of ? " " : "");
	xml_text(b, of, len);
	buf_puts(b, rest);
	buf_puts(b, *device ? " on " : "");
	xml_text(b, device, strlen(device));
	buf_puts(b, "\"");
}

static void figure(struct buf *b, const char *what, const char *unit, double x)
{
	if (isfinite(x))
		buf_printf(b, "%s: %.6g%s%s\n", what, x, *unit ? " " : "",
			unit);
}

static void figures(struct buf *b, const json_t *r)
{
	const char *unit = gate_unit_of(r);
	figure(b, "base", "ns", gate_real_of(r, "base_ns"));
	figure(b, "head", "ns", gate_real_of(r, "head_ns"));
	figure(b, "change", unit, gate_real_of(r, "change_pct"));
	figure(b, "interval from", unit, gate_real_of(r, "low_pct"));
	figure(b, "interval to", unit, gate_real_of(r, "high_pct"));
	figure(b, "limit", unit, gate_real_of(r, "limit_pct"));
	figure(b, "p", "", gate_real_of(r, "p"));
}

static void rule(const json_t *gate, const json_t *r, struct buf *b)
{
	const char *outcome = gate_text_of(r, "outcome");
	const char *sentence = gate_text_of(r, "sentence");
	bool failed = !strcmp(outcome, "regressed");
	buf_puts(b, "    <testcase");
	case_name(b, r);
	attribute(b, "classname", class_of(gate));
	buf_puts(b, " time=\"0\"");
	if (!strcmp(outcome, "pass")) {
		buf_puts(b, "/>\n");
		return;
	}
	buf_printf(b, ">\n      <%s", failed ? "failure" : "skipped");
	attribute(b, "message", sentence);
	if (failed) {
		buf_puts(b, " type=\"regressed\">");
		figures(b, r);
		buf_puts(b, "</failure>");
	} else {
		buf_puts(b, "/>");
	}
	buf_puts(b, "\n    </testcase>\n");
}

/* A case fails once at most: the first shortfall's sentence, and all of them. */
static void data(const json_t *gate, struct buf *b)
{
	const json_t *list = json_object_get(gate, "shortfalls");
	const json_t *first = json_array_get(list, 0);
	bool bad = !strcmp(gate_text_of(gate, "outcome"), "bad_data");
	size_t i;
	json_t *each;
	buf_puts(b, "    <testcase name=\"data\"");
	attribute(b, "classname", class_of(gate));
	buf_puts(b, " time=\"0\"");
	if (!bad) {
		buf_puts(b, "/>\n");
		return;
	}
	buf_puts(b, ">\n      <error");
	attribute(b, "message",
		gate_text_of(first ? first : gate,
			first ? "message" : "sentence"));
	buf_puts(b, " type=\"bad_data\">");
	json_array_foreach((json_t *)list, i, each)
	{
		const char *message = gate_text_of(each, "message");
		xml_text(b, message, strlen(message));
		buf_puts(b, "\n");
	}
	buf_puts(b, "</error>\n    </testcase>\n");
}

static size_t count(const json_t *rules, const char *outcome)
{
	size_t i, n = 0;
	json_t *r;
	json_array_foreach((json_t *)rules, i, r)
	{
		n += !strcmp(gate_text_of(r, "outcome"), outcome);
	}
	return n;
}

static void counts(const json_t *gate, struct buf *b)
{
	const json_t *rules = json_object_get(gate, "rules");
	buf_printf(b,
		" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\""
		" time=\"0\"",
		json_array_size(rules) + 1, count(rules, "regressed"),
		!strcmp(gate_text_of(gate, "outcome"), "bad_data"),
		count(rules, "undecided"));
}

static void property(struct buf *b, const char *key, const char *value)
{
	buf_printf(b, "      <property name=\"%s\"", key);
	attribute(b, "value", value);
	buf_puts(b, "/>\n");
}

static void properties(const json_t *gate, const char *site, struct buf *b)
{
	buf_puts(b, "    <properties>\n");
	property(b, "outcome", gate_text_of(gate, "outcome"));
	property(b, "sentence", gate_text_of(gate, "sentence"));
	property(b, "project", gate_text_of(gate, "project"));
	property(b, "base",
		gate_text_of(json_object_get(gate, "base"), "asked"));
	property(b, "head",
		gate_text_of(json_object_get(gate, "head"), "asked"));
	if (site) {
		buf_puts(b, "      <property name=\"gate\" value=\"");
		xml_text(b, site, strlen(site));
		buf_printf(b, "/gates/%lld\"/>\n", gate_whole_of(gate, "id"));
	}
	buf_puts(b, "    </properties>\n");
}

void gate_text_junit(const json_t *gate, const char *site, struct buf *b)
{
	const char *name = gate_text_of(gate, "name");
	const char *at = gate_text_of(gate, "created_at");
	size_t i;
	json_t *r;
	buf_puts(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	attribute(b, "name", *name ? name : "kernsift gate");
	counts(gate, b);
	buf_puts(b, ">\n  <testsuite");
	attribute(b, "name", *name ? name : "kernsift gate");
	counts(gate, b);
	/* without fraction and zone, as Ant's schema has it; it is UTC */
	buf_printf(b, " timestamp=\"%.19s\" hostname=\"kernsift\">\n", at);
	properties(gate, site, b);
	data(gate, b);
	json_array_foreach(json_object_get(gate, "rules"), i, r)
	{
		rule(gate, r, b);
	}
	buf_puts(b, "  </testsuite>\n</testsuites>\n");
}
