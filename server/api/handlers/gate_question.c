/* gate_question.c - member by member, each with its range. */
#include "gate_question.h"
#include "comparison_word.h"
#include "compare.h"
#include "regression_gate.h"
#include "view_compare.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { OPERATORS_MAX = 100, NAME_BYTES = 200 };

enum kind {
	TEXT, /* `most`: bytes */
	REAL,
	REAL_OR_NULL, /* null: NaN */
	COUNT,
	SEED,
	CLASSES,
	FINDINGS,
	OPERATORS
};

static const struct member {
	const char *name;
	enum kind kind;
	size_t at;
	double least, most;
} members[] = {
#define AT(field) offsetof(struct gate_question, field)
	{ "base", TEXT, AT(base), 0, 2000 },
	{ "head", TEXT, AT(head), 0, 2000 },
	{ "project", TEXT, AT(project), 0, NAME_BYTES },
	{ "workload", TEXT, AT(workload), 0, NAME_BYTES },
	{ "name", TEXT, AT(name), 0, NAME_BYTES },
	{ "range", TEXT, AT(range), 0, 500 },
	{ "cycle_pct", REAL_OR_NULL, AT(policy.cycle_pct), 0, 1000 },
	{ "operators", OPERATORS, 0, 0, 1000 },
	{ "headroom_pct", REAL_OR_NULL, AT(policy.headroom_pct), 0, 100 },
	{ "fail_on", CLASSES, 0, 0, 0 },
	{ "share_pct", REAL, AT(policy.share_pct), 0, 100 },
	{ "least_runs", COUNT, AT(policy.least_runs), 1, 64 },
	{ "least_cycles", COUNT, AT(policy.least_cycles), 1, 1000000 },
	{ "least_coverage_pct", REAL, AT(policy.least_coverage_pct), 0, 100 },
	{ "least_attributed_pct", REAL, AT(policy.least_attributed_pct), 0,
		100 },
	{ "refuse", FINDINGS, 0, 0, 0 },
	{ "alpha", REAL, AT(policy.alpha), 1e-6, 0.5 },
	{ "floor", REAL_OR_NULL, AT(policy.floor), 0, 1 },
	{ "seed", SEED, AT(policy.seed), 0, 9007199254740991 },
#undef AT
};
enum { MEMBERS = sizeof members / sizeof *members };

/* What a gate may fail on; the others say that nothing is shown. */
static bool fails(enum change_class is)
{
	return is != CHANGE_UNDECIDED && is != CHANGE_UNCHANGED;
}

const char *gate_question_keys(struct arena *a)
{
	const char *keys = members[0].name;
	for (int i = 1; i < MEMBERS; i++)
		keys = arena_printf(a, "%s|%s", keys, members[i].name);
	return keys;
}

static bool text_from(struct arena *a, const char *name, const json_t *v,
	double most, const char **to, struct err *e)
{
	const char *s = json_string_value(v);
	if (json_is_null(v))
		return true;
	if (!s || json_string_length(v) > (size_t)most)
		return err_set(e, ERR_INPUT,
			"%s: is not text of at most %.0f bytes", name, most);
	if (*s || !strcmp(name, "name"))
		*to = arena_strdup(a, s);
	return true;
}

static bool real_from(const char *name, const json_t *v, double least,
	double most, double *to, struct err *e)
{
	double x = json_number_value(v);
	if (!json_is_number(v) || !isfinite(x) || x < least || x > most)
		return err_set(e, ERR_INPUT,
			"%s: is not a number from %g to %g", name, least, most);
	*to = x;
	return true;
}

static bool whole_from(const char *name, const json_t *v,
	const struct member *m, json_int_t *to, struct err *e)
{
	json_int_t x = json_integer_value(v);
	if (!json_is_integer(v) || x < (json_int_t)m->least ||
		x > (json_int_t)m->most)
		return err_set(e, ERR_INPUT,
			"%s: is not a whole number from %.0f to %.0f", name,
			m->least, m->most);
	*to = x;
	return true;
}

static int class_of(const char *word)
{
	for (int i = 0; i < CHANGE_CLASSES; i++)
		if (fails((enum change_class)i) &&
			!strcmp(word, comparison_word_class[i]))
			return i;
	return -1;
}

static int finding_of(const char *word)
{
	for (int i = 0; i < FINDING_CODES; i++)
		if (!strcmp(word, finding_name((enum finding_code)i)))
			return i;
	return -1;
}

static bool words_from(const char *name, const json_t *v,
	int (*of)(const char *word), const char *what, uint64_t *to,
	struct err *e)
{
	size_t i;
	const json_t *each;
	if (!json_is_array(v))
		return err_set(e, ERR_INPUT, "%s: is not a list of %s", name,
			what);
	*to = 0;
	json_array_foreach((json_t *)v, i, each)
	{
		const char *word = json_string_value(each);
		int bit = word ? of(word) : -1;
		if (bit < 0)
			return err_set(e, ERR_INPUT,
				"%s: entry %zu, '%.60s', is not one of %s",
				name, i, word ? word : "", what);
		*to |= UINT64_C(1) << bit;
	}
	return true;
}

static bool limit_from(struct arena *a, const json_t *v, size_t i,
	struct gate_policy *p, struct err *e)
{
	struct gate_operator_limit *limit = &p->operators[i];
	const char *name = json_string_value(json_object_get(v, "operator"));
	const json_t *pct = json_object_get(v, "pct");
	char where[64];
	if (!name || !*name || strlen(name) > NAME_BYTES || !pct ||
		json_object_size(v) != 2)
		return err_set(e, ERR_INPUT,
			"operators: entry %zu is not an object with operator, "
			"a name of at most %d bytes, and pct",
			i, NAME_BYTES);
	for (size_t k = 0; k < i; k++)
		if (!strcmp(p->operators[k].operator, name))
			return err_set(e, ERR_INPUT,
				"operators: '%.100s' has two limits", name);
	snprintf(where, sizeof where, "operators: entry %zu: pct", i);
	limit->operator= arena_strdup(a, name);
	p->operators_n++;
	return real_from(where, pct, 0, 1000, &limit->pct, e);
}

static bool limits_from(struct arena *a, const json_t *v, struct gate_policy *p,
	struct err *e)
{
	size_t i;
	json_t *each;
	if (!json_is_array(v) || json_array_size(v) > OPERATORS_MAX)
		return err_set(e, ERR_INPUT,
			"operators: is not a list of at most %d limits",
			OPERATORS_MAX);
	p->operators =
		arena_array(a, struct gate_operator_limit, json_array_size(v));
	p->operators_n = 0;
	json_array_foreach((json_t *)v, i, each)
	{
		if (!limit_from(a, each, i, p, e))
			return false;
	}
	return true;
}

static bool member_from(struct arena *a, const struct member *m,
	const json_t *v, struct gate_question *q, struct err *e)
{
	void *to = (char *)q + m->at;
	uint64_t bits = 0;
	json_int_t whole = 0;
	switch (m->kind) {
	case TEXT:
		return text_from(a, m->name, v, m->most, to, e);
	case REAL_OR_NULL:
		if (json_is_null(v)) {
			*(double *)to = (double)NAN;
			return true;
		}
		return real_from(m->name, v, m->least, m->most, to, e);
	case REAL:
		return real_from(m->name, v, m->least, m->most, to, e);
	case COUNT:
		if (!whole_from(m->name, v, m, &whole, e))
			return false;
		*(uint32_t *)to = (uint32_t)whole;
		return true;
	case SEED:
		if (!whole_from(m->name, v, m, &whole, e))
			return false;
		*(uint64_t *)to = (uint64_t)whole;
		return true;
	case CLASSES:
		if (!words_from(m->name, v, class_of,
			    "regressed, appeared, improved, vanished, likely",
			    &bits, e))
			return false;
		q->policy.fail_on = (uint32_t)bits;
		return true;
	case FINDINGS:
		return words_from(m->name, v, finding_of,
			"the codes of /compare's findings", &q->policy.refuse,
			e);
	case OPERATORS:
		return limits_from(a, v, &q->policy, e);
	}
	return true;
}

bool gate_question_read(struct arena *a, const json_t *body,
	struct gate_question *q, struct err *e)
{
	*q = (struct gate_question){ .name = "" };
	regression_gate_policy_init(&q->policy);
	for (int i = 0; i < MEMBERS; i++) {
		const json_t *v = json_object_get(body, members[i].name);
		if (v && !member_from(a, &members[i], v, q, e))
			return false;
	}
	if (isnan(q->policy.floor)) /* null: learnt */
		q->policy.floor = -1;
	return true;
}
