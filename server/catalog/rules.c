/* rules.c - maps a kernel's name to its family, source and operator by
 * rules. */
#include "buf.h"
#include "inside.h"
#include "matcher.h"
#include <string.h>

enum { WORDS_MAX = 1 << 14 };

static bool rules_entry_read(struct catalog *c, const struct entries *d,
	size_t i, struct rule_info *r, const struct operator_info **op,
	struct err *e)
{
	const char *name;

	r->own = d->own;

	if (!entries_keys(d, i,
		    "match operator family defined_in launched_from known_from",
		    e) ||
		!entries_text(d, i, "match", true, &r->match, e) ||
		!entries_text(d, i, "operator", false, &name, e) ||
		!entries_text(d, i, "family", !d->own, &r->is.family, e) ||
		!entries_text(d, i, "defined_in", false, &r->is.defined_in,
			e) ||
		!entries_text(d, i, "launched_from", false,
			&r->is.launched_from, e) ||
		!entries_text(d, i, "known_from", false, &r->is.known_from, e))
		return false;
	if ((r->is.defined_in || r->is.launched_from) && !r->is.known_from)
		return entries_fail(d, i, e,
			"a path needs 'known_from': who says so");
	if (!name && !r->is.family)
		return entries_fail(d, i, e,
			"it has neither 'operator' nor 'family'");
	r->op = name;
	*op = name ? catalog_operator(c, name) : NULL;
	if (name && !*op)
		return entries_fail(d, i, e, "the operator '%.40s' is unknown",
			name);
	return true;
}

/* The words of rules.json. Own rules can use them, too. */
static const char *rules_words(struct catalog *c)
{
	json_t *w = json_object_get(c->rules[CARRIED].root, "words");
	struct buf b;

	buf_init(&b, WORDS_MAX);
	for (void *at = json_object_iter(w); at;
		at = json_object_iter_next(w, at))
		buf_printf(&b, "(?<%s>%s)", json_object_iter_key(at),
			json_string_value(json_object_iter_value(at)));
	const char *text = arena_strndup(&c->arena, b.len ? b.at : "", b.len);
	buf_release(&b);
	return text;
}

bool rules_read(struct catalog *c, struct err *e)
{
	size_t own = entries_n(&c->rules[OWN]),
	       n = own + entries_n(&c->rules[CARRIED]);
	const char **patterns = arena_array(&c->arena, const char *, n);
	struct err why = { 0 };
	uint32_t fault;

	c->rule = arena_array(&c->arena, struct rule_info, n);
	c->rule_op = arena_array(&c->arena, const struct operator_info *, n);
	for (size_t i = 0; i < n; i++) {
		struct rule_info *r = &c->rule[i];
		if (!rules_entry_read(c, &c->rules[i < own ? OWN : CARRIED],
			    i < own ? i : i - own, r, &c->rule_op[i], e))
			return false;
		patterns[i] = r->match;
	}
	c->rule_n = (uint32_t)n;
	c->rule_own = (uint32_t)own;
	c->names = (struct matcher_rules){
		.patterns = patterns,
		.n = (uint32_t)n,
		.own = (uint32_t)own,
		.words = rules_words(c),
		.before = "void |std::enable_if<.*?>::type ",
	};
	c->names_matcher = matcher_new(&c->names, &fault, &why);
	if (c->names_matcher)
		return true;
	return entries_fail(&c->rules[fault < own ? OWN : CARRIED],
		fault < own ? fault : fault - own, e, "%s", why.text);
}

uint32_t catalog_rules(const struct catalog *c, const struct rule_info **all)
{
	*all = c->rule;
	return c->rule_n;
}

bool catalog_kernel(const struct catalog *c, const char *name, size_t len,
	struct kernel_source *out)
{
	struct matched m = matcher_find(c->names_matcher, name, len);

	*out = (struct kernel_source){ 0 };
	if (m.pattern >= 0)
		*out = c->rule[m.pattern].is;
	return !m.gave_up;
}

const struct operator_info *catalog_kernel_operator(const struct catalog *c,
	const char *name, size_t len)
{
	struct matched m = matcher_find(c->names_matcher, name, len);
	return m.pattern < 0 ? NULL : c->rule_op[m.pattern];
}

bool catalog_trial(const struct catalog *c, const char *name, size_t len,
	struct arena *a, struct rule_trial *out, struct err *e)
{
	struct matched m = matcher_find(c->names_matcher, name, len);

	*out = (struct rule_trial){ .rule = -1 };
	if (m.gave_up)
		return matcher_fail(&c->names, m.gave_up, name, len, a, e);
	if (m.pattern < 0) {
		out->why = "no rule matches from the name's beginning";
		return true;
	}
	const struct rule_info *r = &c->rule[m.pattern];
	out->rule = m.pattern;
	out->own = m.pattern < c->rule_own;
	out->match = r->match;
	out->from = m.from;
	out->to = m.to;
	out->is = r->is;
	out->op = r->op;
	out->why = arena_printf(a,
		"%s rule %lld is the first that matches; it covers %u of %zu "
		"bytes and %s%s%s",
		out->own ? "the own" : "the program's", (long long)out->rule,
		out->to - out->from, len,
		out->op ? "gives operator '" : "gives no operator",
		out->op ? out->op : "", out->op ? "'" : "");
	return true;
}
