/* trial.c - what the rules make of a name, in a sentence. */
#include "inside.h"

/* By the first pattern that gives up on the name by itself, after those that do
 * not match at all: the one that took the others along. */
static bool gave_up(const struct catalog *c, const char *name, size_t len,
	int why, struct arena *a, struct err *e)
{
	for (uint32_t i = 0; i < c->names.n; i++) {
		int alone = matcher_try(&c->names, i, name, len).gave_up;
		if (alone)
			return err_set(e, ERR_TOO_LARGE,
				"the %srule %u, '%.60s', gives up on this name "
				"%s",
				i < c->rule_own ? "own " : "", i,
				c->rule[i].match, matcher_limit(alone, a));
	}
	return err_set(e, ERR_TOO_LARGE,
		"several rules together, none of them alone, give up on this "
		"name %s",
		matcher_limit(why, a));
}

bool catalog_trial(const struct catalog *c, const char *name, size_t len,
	struct arena *a, struct rule_trial *out, struct err *e)
{
	struct matched m = matcher_find(c->names_matcher, name, len);

	*out = (struct rule_trial){ .rule = -1 };
	if (m.gave_up)
		return gave_up(c, name, len, m.gave_up, a, e);
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
	out->operator= r->operator;
	out->why = arena_printf(a,
		"%s rule %lld is the first that matches; it covers %u of %zu "
		"bytes and %s%s%s",
		out->own ? "the own" : "the program's", (long long)out->rule,
		out->to - out->from, len,
		out->operator? "says operator '" : "tells no operator",
		out->operator? out->operator: "", out->operator? "'" : "");
	return true;
}
