/* gate_told.c - from the server's JSON; what is not as it should be is refused. */
#include "gate_told.h"
#include "json_get.h"

/* GitHub's runner reads what a step prints: it finds "##[" anywhere in a line, and
 * "::" where one begins; no line of ours begins with a text. */
static const char *text(struct gate_told *g, const json_t *v, const char *key)
{
	char *copy = told_text(&g->arena, v, key);
	for (char *at = copy; (at = strstr(at, "##[")) != NULL;)
		at[2] = '(';
	return copy;
}

static bool outcome(const json_t *v, enum gate_told_outcome *out)
{
	static const char *const words[] = { "pass", "regressed", "undecided",
		"bad_data" };
	const char *word = json_string_value(json_object_get(v, "outcome"));
	for (int i = 0; word && i < 4; i++) {
		if (!strcmp(word, words[i])) {
			*out = (enum gate_told_outcome)i;
			return true;
		}
	}
	return false;
}

static bool rules(struct gate_told *g, const json_t *list)
{
	g->rules_n = json_array_size(list);
	g->rules = arena_array(&g->arena, struct gate_told_rule, g->rules_n);
	for (size_t i = 0; i < g->rules_n; i++) {
		const json_t *v = json_array_get(list, i);
		g->rules[i] = (struct gate_told_rule){
			.rule = text(g, v, "rule"),
			.of = text(g, v, "of"),
			.device = text(g, v, "device"),
			.sentence = text(g, v, "sentence"),
			.limit_pct = told_real(v, "limit_pct"),
			.base_ns = told_real(v, "base_ns"),
			.head_ns = told_real(v, "head_ns"),
			.change_pct = told_real(v, "change_pct"),
			.low_pct = told_real(v, "low_pct"),
			.high_pct = told_real(v, "high_pct"),
			.p = told_real(v, "p"),
			.since_run = told_whole(v, "since_run"),
		};
		if (!outcome(v, &g->rules[i].outcome))
			return false;
	}
	return true;
}

static const char **sentences(struct gate_told *g, const json_t *list,
	size_t *n)
{
	*n = json_array_size(list);
	const char **all = arena_array(&g->arena, const char *, *n);
	for (size_t i = 0; i < *n; i++)
		all[i] = text(g, json_array_get(list, i), "message");
	return all;
}

static struct gate_told_side side(struct gate_told *g, const json_t *v)
{
	return (struct gate_told_side){ text(g, v, "asked"),
		told_whole(v, "units"), told_whole(v, "cycles") };
}

static bool gate(struct gate_told *g, const json_t *v)
{
	const json_t *list = json_object_get(v, "rules");
	g->id = told_whole(v, "id");
	if (g->id <= 0 || !outcome(v, &g->outcome) || !json_is_array(list))
		return false;
	g->sentence = text(g, v, "sentence");
	g->compare = text(g, v, "compare");
	g->runs_needed = told_whole(v, "runs_needed");
	g->base = side(g, json_object_get(v, "base"));
	g->head = side(g, json_object_get(v, "head"));
	g->shortfalls = sentences(g, json_object_get(v, "shortfalls"),
		&g->shortfalls_n);
	g->findings =
		sentences(g, json_object_get(v, "findings"), &g->findings_n);
	return rules(g, list);
}

bool gate_told_init(struct gate_told *g, const char *body, size_t len,
	struct err *e)
{
	json_t *v = json_loadb(body ? body : "", len, 0, NULL);
	*g = (struct gate_told){ 0 };
	bool ok = gate(g, v);
	json_decref(v);
	if (!ok)
		gate_told_release(g);
	return ok || err_set(e, ERR_INTERNAL,
			     "the server's answer is not a gate; is it a "
			     "kernsift server?");
}

void gate_told_release(struct gate_told *g)
{
	arena_release(&g->arena);
}
