/* changes.c - parses a comparison from the server's JSON and prints it. */
#include "changes.h"
#include "format_duration.h"
#include "json_get.h"
#include "utf8.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* An older server sends no distinct names of functions. */
static const char *changes_function(struct changes *c, const json_t *v,
	const char *distinct, const char *short_name)
{
	const char *name = json_get_text(&c->arena, v, distinct);
	return *name ? name : json_get_text(&c->arena, v, short_name);
}

/* Without `name`, the lines are functions. */
static struct change_line *changes_lines(struct changes *c, const json_t *list,
	const char *name, size_t *n)
{
	*n = json_array_size(list);
	struct change_line *all =
		arena_array(&c->arena, struct change_line, *n);
	for (size_t i = 0; i < *n; i++) {
		const json_t *v = json_array_get(list, i);
		all[i] = (struct change_line){
			.verdict = json_get_text(&c->arena, v, "verdict"),
			.evidence = json_get_text(&c->arena, v, "evidence"),
			.name = name ? json_get_text(&c->arena, v, name)
				     : changes_function(c, v, "distinct_name",
					       "short_name"),
			.head_name = changes_function(c, v,
				"head_distinct_name", "head_short_name"),
			.device = json_get_text(&c->arena, v, "device"),
			.base_ns = json_get_real(v, "base_ns_per_iteration"),
			.head_ns = json_get_real(v, "head_ns_per_iteration"),
			.delta_ns = json_get_real(v, "delta_ns_per_iteration"),
			.ratio = json_get_real(v, "ratio"),
			.p_family = json_get_real(v, "p_family"),
			.base_launches =
				json_get_real(v, "base_launches_per_iteration"),
			.head_launches =
				json_get_real(v, "head_launches_per_iteration"),
		};
	}
	return all;
}

/* "rms_norm + layer_norm" */
static const char *changes_names(struct arena *a, const json_t *list)
{
	const char *text = json_get_item(a, list, 0);
	for (size_t i = 1; i < json_array_size(list); i++)
		text = arena_printf(a, "%s + %s", text,
			json_get_item(a, list, i));
	return text;
}

/* The name of an operator is followed by its shape, that of a group by its
 * operators. */
static void changes_operators(struct changes *c, const json_t *list)
{
	c->operators = changes_lines(c, list, "operator", &c->operators_n);
	for (size_t i = 0; i < c->operators_n; i++) {
		const json_t *v = json_array_get(list, i);
		struct change_line *l = &c->operators[i];
		const char *shape = json_get_text(&c->arena, v, "shape"),
			   *base = json_get_text(&c->arena, v, "base_kernels"),
			   *head = json_get_text(&c->arena, v, "head_kernels");
		if (*shape)
			l->name = arena_printf(&c->arena, "%s %s", l->name,
				shape);
		if (json_is_string(json_object_get(v, "inferred")))
			l->name = arena_printf(&c->arena,
				"%s, inferred: %s → %s", l->name,
				changes_names(&c->arena,
					json_object_get(v, "base_operators")),
				changes_names(&c->arena,
					json_object_get(v, "head_operators")));
		l->kernels = *base || *head ? arena_printf(&c->arena, "%s → %s",
						      *base ? base : "none",
						      *head ? head : "none")
					    : "";
	}
}

/* The parts of the iteration; after the idle part its causes. An older server
 * sends no causes. */
static void changes_split(struct changes *c, const json_t *list,
	const json_t *causes)
{
	size_t parts_n, causes_n;
	struct change_line *parts =
		changes_lines(c, list, "description", &parts_n);
	struct change_line *of =
		changes_lines(c, causes, "description", &causes_n);

	c->split = arena_array(&c->arena, struct change_line,
		parts_n + causes_n + 1);
	for (size_t i = 0; i < parts_n; i++) {
		const char *part = json_get_text(&c->arena,
			json_array_get(list, i), "part");
		c->split[c->split_n++] = parts[i];
		for (size_t k = 0; k < causes_n && !strcmp(part, "idle"); k++) {
			of[k].name = arena_printf(&c->arena, "of idle: %s",
				of[k].name);
			c->split[c->split_n++] = of[k];
		}
	}
}

static struct change_term_line changes_term(struct changes *c, const json_t *v,
	const char *name)
{
	return (struct change_term_line){
		.name = name ? name
			     : json_get_text(&c->arena, v, "description"),
		.base_ns = json_get_whole(v, "base_ns"),
		.head_ns = json_get_whole(v, "head_ns"),
		.delta_ns = json_get_whole(v, "delta_ns"),
		.low_ns = json_get_real(v, "low_ns"),
		.high_ns = json_get_real(v, "high_ns")
	};
}

/* The last decomposition: that of the output token, if there is one. */
static void changes_terms(struct changes *c, const json_t *list,
	const char *reason)
{
	struct change_terms *t = &c->terms;
	size_t n = json_array_size(list);
	if (!n)
		return;
	const json_t *v = json_array_get(list, n - 1),
		     *terms = json_object_get(v, "terms");
	t->of = strcmp(json_get_text(&c->arena, v, "of"), "output_token")
			? "iteration"
			: "time per output token";
	t->reason = reason;
	t->lines = arena_array(&c->arena, struct change_term_line,
		json_array_size(terms) + 1);
	t->lines[t->n++] =
		changes_term(c, v, arena_printf(&c->arena, "mean %s", t->of));
	for (size_t i = 0; i < json_array_size(terms); i++)
		t->lines[t->n++] =
			changes_term(c, json_array_get(terms, i), NULL);
	t->base_median_ns = json_get_real(v, "base_median_ns");
	t->head_median_ns = json_get_real(v, "head_median_ns");
	t->base_tokens = json_get_real(v, "base_tokens");
	t->head_tokens = json_get_real(v, "head_tokens");
	t->by_tokens_ns = json_get_whole(v, "by_tokens_ns");
}

/* Whether this row is shown to differ. */
static bool changes_significant(const struct change_line *l)
{
	return *l->verdict && strcmp(l->verdict, "undecided") &&
	       strcmp(l->verdict, "unchanged");
}

/* "4 ranks, slowest rank 3, GPU 0" */
static const char *changes_ranks(struct changes *c, const json_t *function,
	const char *device)
{
	const char *slowest = json_get_text(&c->arena,
		json_object_get(function, "head_ranks"), "slowest");
	return *slowest ? arena_printf(&c->arena, "%s, slowest %s", device,
				  slowest)
			: device;
}

/* Folds the items of each function. Those of a function that did not change as a whole
 * stay, because one rank may have changed. Does nothing if the server sent no
 * functions. */
static void changes_fold(struct changes *c, const json_t *functions)
{
	size_t folded_n, n = 0, most = c->items_n;
	struct change_line *folded =
		changes_lines(c, functions, NULL, &folded_n);
	struct change_line *all = arena_array(&c->arena, struct change_line,
		folded_n + c->items_n + 1);

	if (!folded_n)
		return;
	for (size_t i = 0; i < folded_n; i++) {
		const json_t *v = json_array_get(functions, i);
		const json_t *items = json_object_get(v, "items");
		if (json_array_size(items) > 1 &&
			changes_significant(&folded[i])) {
			all[n] = folded[i];
			all[n++].device = changes_ranks(c, v, folded[i].device);
			continue;
		}
		for (size_t k = 0; k < json_array_size(items); k++) {
			json_int_t at =
				json_integer_value(json_array_get(items, k));
			if (at >= 0 && (size_t)at < c->items_n && most) {
				all[n++] = c->items[at];
				most--;
			}
		}
	}
	c->items = all;
	c->items_n = n;
}

static void changes_findings(struct changes *c, const json_t *list)
{
	c->findings_n = json_array_size(list);
	c->findings =
		arena_array(&c->arena, struct change_finding, c->findings_n);
	for (size_t i = 0; i < c->findings_n; i++) {
		const json_t *v = json_array_get(list, i);
		c->findings[i] =
			(struct change_finding){ json_get_text(&c->arena, v,
							 "severity"),
				json_get_text(&c->arena, v, "text") };
	}
}

static const char *changes_ids(struct changes *c, const json_t *runs)
{
	const char *ids = "";
	const json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) ids = arena_printf(&c->arena,
		"%s%s%" PRId64, ids, i ? "," : "", json_get_whole(run, "id"));
	return ids;
}

static struct change_side changes_side(struct changes *c, const json_t *v)
{
	return (struct change_side){
		.ids = changes_ids(c, json_object_get(v, "runs")),
		.iteration_ns = json_get_real(v, "iteration_ns"),
		.runs = (int64_t)json_array_size(json_object_get(v, "runs")),
		.iterations = json_get_whole(v, "iterations"),
		.iterations_used = json_get_whole(v, "iterations_used"),
		.detector = json_get_text(&c->arena, v, "detector"),
	};
}

static void changes_counts(struct changes *c, json_t *v)
{
	const char *key;
	json_t *n;
	c->counts = arena_array(&c->arena, struct change_count,
		json_object_size(v));
	json_object_foreach(v, key, n)
	{
		c->counts[c->counts_n++] =
			(struct change_count){ arena_strdup(&c->arena, key),
				json_integer_value(n) };
	}
}

bool changes_init(struct changes *c, const char *body, size_t len,
	struct err *e)
{
	json_t *v = json_loadb(body ? body : "", len, 0, NULL);
	json_t *items = json_object_get(v, "items");
	const char *headline =
		json_string_value(json_object_get(v, "headline"));
	*c = (struct changes){ .common = (double)NAN };
	if (!headline || !json_is_array(items)) {
		json_decref(v);
		return err_set(e, ERR_UNREACHABLE,
			"the server's answer is not a comparison");
	}
	c->headline = json_get_text(&c->arena, v, "headline");
	c->comparable = json_is_true(json_object_get(v, "comparable"));
	changes_findings(c, json_object_get(v, "findings"));
	c->base = changes_side(c, json_object_get(v, "base"));
	c->head = changes_side(c, json_object_get(v, "head"));
	changes_split(c, json_object_get(v, "split"),
		json_object_get(v, "idle_causes"));
	changes_terms(c, json_object_get(v, "decompositions"),
		json_get_text(&c->arena, v, "tokens_reason"));
	c->by_operator = json_is_true(json_object_get(v, "by_operator"));
	changes_operators(c, json_object_get(v, "operators"));
	c->items = changes_lines(c, items, NULL, &c->items_n);
	changes_fold(c, json_object_get(v, "functions"));
	c->common = json_get_real(json_object_get(v, "common"), "ratio");
	changes_counts(c, json_object_get(v, "counts"));
	c->seed = json_get_whole(v, "seed");
	c->permutations = json_get_whole(v, "permutations");
	json_decref(v);
	return true;
}

void changes_release(struct changes *c)
{
	arena_release(&c->arena);
}

enum { NAME_SHOWN = 60 };

static const char *changes_percent(char to[FORMAT_CELL], double ratio)
{
	if (!isfinite(ratio))
		return "";
	snprintf(to, FORMAT_CELL, "%+.1f %%", 100 * (ratio - 1));
	return to;
}

/* The server's word for a class, as text. */
static const char *changes_class(char to[FORMAT_CELL], const char *word)
{
	snprintf(to, FORMAT_CELL, "%s", word);
	for (char *p = to; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	return to;
}

/* The class of a row. A row without one has no evidence, for example because its time
 * includes waiting for others. */
static const char *changes_verdict(char to[FORMAT_CELL],
	const struct changes *c, const struct change_line *l)
{
	return changes_class(to,
		*l->verdict || !c->comparable ? l->verdict : "not judged");
}

/* The class, filled to `wide` columns, in its color. */
static void changes_print_class(const struct terminal *t, const char *word,
	int wide)
{
	bool any;
	enum terminal_style style = terminal_verdict(word, &any);

	fprintf(t->out, "%s%-*s%s", any ? terminal_on(t, style) : "", wide,
		word, any ? terminal_off(t) : "");
}

static void changes_print_times(const struct change_line *l, FILE *out)
{
	char base[FORMAT_CELL], head[FORMAT_CELL], delta[FORMAT_CELL],
		share[FORMAT_CELL];
	fprintf(out, "%12s %12s %13s %9s",
		format_duration(base, l->base_ns, ""),
		format_duration(head, l->head_ns, ""),
		format_duration(delta, l->delta_ns, "+"),
		changes_percent(share, l->ratio));
}

static void changes_print_side(const char *name, const struct change_side *s,
	FILE *out)
{
	char mean[FORMAT_CELL];
	fprintf(out,
		"%s  %" PRId64 " run%s, %" PRId64 " of %" PRId64
		" iterations compared (%s), mean %s\n",
		name, s->runs, s->runs == 1 ? "" : "s", s->iterations_used,
		s->iterations, s->detector,
		format_duration(mean, s->iteration_ns, ""));
}

static void changes_print_split(const struct changes *c,
	const struct terminal *t)
{
	char class[FORMAT_CELL];
	FILE *out = t->out;
	if (c->split_n)
		fprintf(out, "\n%-41s%12s %12s %13s\n",
			"breakdown of the iteration time", "base", "head",
			"change");
	for (size_t i = 0; i < c->split_n; i++) {
		fprintf(out, "  %-38.38s ", c->split[i].name);
		changes_print_times(&c->split[i], out);
		fputs("  ", out);
		changes_print_class(t, changes_verdict(class, c, &c->split[i]),
			0);
		fputs("\n", out);
	}
	if (isfinite(c->common))
		fprintf(out, "  common factor of most kernels: %.3f\n",
			c->common);
}

/* Whole nanoseconds as microseconds, so that printed terms add up. */
static const char *changes_whole_us(char to[FORMAT_CELL], int64_t ns,
	const char *sign)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	snprintf(to, FORMAT_CELL, "%s%" PRIu64 ".%03" PRIu64,
		ns < 0 ? "-" : sign, size / 1000, size % 1000);
	return to;
}

static void changes_print_term(const struct change_term_line *l, FILE *out)
{
	char base[FORMAT_CELL], head[FORMAT_CELL], delta[FORMAT_CELL];
	/* the column is as wide as that of the parts */
	fprintf(out, "  %-38s %12s %12s %13s", l->name,
		changes_whole_us(base, l->base_ns, ""),
		changes_whole_us(head, l->head_ns, ""),
		changes_whole_us(delta, l->delta_ns, "+"));
	if (isfinite(l->low_ns) && isfinite(l->high_ns))
		fprintf(out, "  95 %% %+.3f to %+.3f", l->low_ns / 1e3,
			l->high_ns / 1e3);
	fprintf(out, "\n");
}

static void changes_print_terms(const struct change_terms *t, FILE *out)
{
	char base[FORMAT_CELL], head[FORMAT_CELL];
	if (!t->n)
		return;
	fprintf(out, "\n%-41s%12s %12s %13s\n", "terms, in microseconds",
		"base", "head", "change");
	for (size_t i = 0; i < t->n; i++)
		changes_print_term(&t->lines[i], out);
	fprintf(out, "  median: %s in the base, %s in the head\n",
		format_duration(base, t->base_median_ns, ""),
		format_duration(head, t->head_median_ns, ""));
	if (fabs(t->base_tokens - t->head_tokens) > 0)
		fprintf(out,
			"  accepted tokens per step: %.4g in the base, %.4g in "
			"the head; their change makes %s us of the change\n",
			t->base_tokens, t->head_tokens,
			changes_whole_us(base, t->by_tokens_ns, "+"));
	if (*t->reason)
		fprintf(out,
			"  this is the time per step, not per output token: %s\n",
			t->reason);
}

static void changes_print_operators(const struct changes *c,
	const struct terminal *t)
{
	char class[FORMAT_CELL];
	FILE *out = t->out;
	if (!c->by_operator)
		return;
	fprintf(out, "\n%-16s%12s %12s %13s\n", "operators", "base", "head",
		"per iteration");
	for (size_t i = 0; i < c->operators_n; i++) {
		const struct change_line *l = &c->operators[i];
		fputs("  ", out);
		changes_print_class(t, changes_verdict(class, c, l), 13);
		fputs(" ", out);
		changes_print_times(l, out);
		fprintf(out, "  %s", l->name);
		if (*l->kernels)
			fprintf(out, " (%s)", l->kernels);
		if (isfinite(l->p_family))
			fprintf(out, ", p %.3g", l->p_family);
		if (strcmp(l->evidence, "none") != 0)
			fprintf(out, ", by %s", l->evidence);
		fprintf(out, "\n");
	}
}

static void changes_print_name(const char *name, FILE *out)
{
	size_t len = strlen(name);
	fprintf(out, "%.*s%s", (int)utf8_clip(name, len, NAME_SHOWN), name,
		len > NAME_SHOWN ? "…" : "");
}

static void changes_print_item(const struct change_line *l,
	const struct terminal *t)
{
	char class[FORMAT_CELL];
	FILE *out = t->out;

	fputs("  ", out);
	changes_print_class(t, changes_class(class, l->verdict), 13);
	fputs(" ", out);
	changes_print_times(l, out);
	fprintf(out, "  ");
	changes_print_name(*l->head_name ? l->head_name : l->name, out);
	if (*l->head_name) {
		fprintf(out, " (in the base ");
		changes_print_name(l->name, out);
		fprintf(out, ")");
	}
	if (*l->device)
		fprintf(out, " [%s]", l->device);
	if (isfinite(l->base_launches) && isfinite(l->head_launches) &&
		fabs(l->base_launches - l->head_launches) > 0)
		fprintf(out, ", %g to %g launches", l->base_launches,
			l->head_launches);
	if (isfinite(l->p_family))
		fprintf(out, ", p %.3g", l->p_family);
	fprintf(out, ", by %s\n", l->evidence);
}

static void changes_print_counts(const struct changes *c, FILE *out)
{
	const char *comma = "";
	char class[FORMAT_CELL];
	for (size_t i = 0; i < c->counts_n; i++)
		if (c->counts[i].n) {
			fprintf(out, "%s%" PRId64 " %s", comma, c->counts[i].n,
				changes_class(class, c->counts[i].verdict));
			comma = ", ";
		}
	fprintf(out, "%sseed %" PRId64 ", %" PRId64 " permutations\n",
		*comma ? "; " : "", c->seed, c->permutations);
}

/* A headline that rejects the comparison is also a finding. */
static void changes_print_findings(const struct changes *c, FILE *out)
{
	size_t printed = 0;
	for (size_t i = 0; i < c->findings_n; i++) {
		if (strcmp(c->findings[i].text, c->headline) == 0)
			continue;
		fprintf(out, "%s: %s\n", c->findings[i].severity,
			c->findings[i].text);
		printed++;
	}
	fputs(printed ? "\n" : "", out);
}

void changes_print(const struct changes *c, const struct terminal *t)
{
	bool headed = false;
	FILE *out = t->out;

	fprintf(out, "%s%s%s\n\n", terminal_on(t, TERMINAL_STRONG), c->headline,
		terminal_off(t));
	changes_print_findings(c, out);
	changes_print_side("base", &c->base, out);
	changes_print_side("head", &c->head, out);
	changes_print_split(c, t);
	changes_print_terms(&c->terms, out);
	changes_print_operators(c, t);
	for (size_t i = 0; i < c->items_n; i++) {
		if (!changes_significant(&c->items[i]))
			continue;
		if (!headed)
			fprintf(out, "\n%-16s%12s %12s %13s\n", "what changed",
				"base", "head", "per iteration");
		headed = true;
		changes_print_item(&c->items[i], t);
	}
	fputs(headed		? "\n"
		: c->comparable ? "\nno function has changed detectably\n"
				: "\nno verdicts are given\n",
		out);
	changes_print_counts(c, out);
}
