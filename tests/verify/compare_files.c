/* compare_files.c - compares runs of files without a server, for
 * compare_real.py.
 *
 *   compare_files [--floor X] [--job] [--halves] [--swap] BASE... -- HEAD...
 *
 * Every process of a file is a run. --job: the runs of each side are one job.
 * --halves: no head is given; the first half of the iterations of each base run
 * is the base, the second half is the head. --swap: compares the head with the
 * base. Prints one JSON object. */
#include "analyze.h"
#include "compare.h"
#include "comparison_word.h"
#include "decode.h"
#include <jansson.h>
#include <math.h>

enum { RUNS_MOST = 64, ROWS_SHOWN = 400 };

struct sides {
	struct arena arena;
	struct catalog *families;
	struct compared_run runs[2][RUNS_MOST];
	uint32_t n[2];
	struct err e;
};

static bool file_add(struct sides *x, int side, const char *path)
{
	const struct decode_limits l = { (int64_t)4 << 30, 200 };
	struct source s;
	struct trace *t = arena_new(&x->arena, struct trace);
	struct source_file *f = source_file_new(path, &s, &x->e);
	bool ok =
		f && trace_init(t, &x->arena) && decode(&s, &l, NULL, t, &x->e);
	if (f)
		source_file_free(f);
	for (uint32_t i = 0; ok && i < t->processes_n; i++) {
		struct profile *p = arena_new(&x->arena, struct profile);
		if (x->n[side] == RUNS_MOST)
			return err_set(&x->e, ERR_INPUT, "too many runs");
		struct compared_run *r = &x->runs[side][x->n[side]++];
		ok = profile_from(t, i, x->families, NULL, &x->arena, p,
			     &x->e) &&
		     compared_from(p, &x->arena, r, &x->e);
		const char *name = strrchr(path, '/');
		r->name = name ? name + 1 : path;
	}
	return ok;
}

/* The head keeps the later half of each run's kept iterations, the base the
 * rest. */
static void halve(struct sides *x)
{
	x->n[1] = x->n[0];
	for (uint32_t k = 0; k < x->n[0]; k++) {
		struct compared_run *base = &x->runs[0][k],
				    *head = &x->runs[1][k];
		uint32_t n = base->iterations.n, seen = 0;
		struct iteration *copy =
			arena_array(&x->arena, struct iteration, n + 1);
		memcpy(copy, base->iterations.iterations, n * sizeof *copy);
		*head = *base;
		head->iterations.iterations = copy;
		for (uint32_t i = 0; i < n; i++) {
			if (copy[i].use != ITERATION_KEPT)
				continue;
			bool first = seen++ < base->iterations.kept_n / 2;
			(first ? copy : base->iterations.iterations)[i].use =
				ITERATION_PARTIAL;
		}
	}
}

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *change_shown(const struct change *c)
{
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"is", comparison_word_class[c->is], "evidence",
		comparison_word_evidence[c->evidence], "base",
		number(c->base_ns), "head", number(c->head_ns), "delta",
		number(c->delta_ns), "ratio", number(c->ratio), "p_family",
		number(c->p_family), "low", number(c->low_ns), "high",
		number(c->high_ns), "floor", number(c->floor));
}

static json_t *rows_shown(const struct comparison *c)
{
	json_t *rows = json_array();
	for (uint32_t i = 0; i < c->rows_n && i < ROWS_SHOWN; i++) {
		const struct changed_row *r = &c->rows[i];
		json_t *row = change_shown(&r->change);
		json_object_set_new(row, "name", json_string(r->name));
		json_object_set_new(row, "head_name",
			r->head_name ? json_string(r->head_name) : json_null());
		json_object_set_new(row, "identity",
			json_string(comparison_word_identity[r->identity]));
		json_object_set_new(row, "reason",
			r->reason ? json_string(r->reason) : json_null());
		json_object_set_new(row, "device", json_string(r->device));
		json_object_set_new(row, "base_launches",
			number(r->base_launches));
		json_object_set_new(row, "head_launches",
			number(r->head_launches));
		json_object_set_new(row, "base_mean_ns",
			number(r->base_mean_ns));
		json_object_set_new(row, "head_mean_ns",
			number(r->head_mean_ns));
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *indices_shown(const uint32_t *list, uint32_t n)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(all, json_integer(list[i]));
	return all;
}

static json_t *texts_shown(const char *const *list, uint32_t n)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(all, json_string(list[i]));
	return all;
}

static json_t *functions_shown(const struct comparison *c)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < c->functions_n; i++) {
		const struct changed_function *f = &c->functions[i];
		json_t *row = change_shown(&f->change);
		json_object_set_new(row, "name",
			json_string(c->rows[f->rows[0]].name));
		json_object_set_new(row, "rows",
			indices_shown(f->rows, f->rows_n));
		json_object_set_new(row, "operator",
			json_integer(f->operator_ == OPERATOR_NONE
					     ? -1
					     : (json_int_t)f->operator_));
		json_object_set_new(row, "operator_name",
			f->operator_name ? json_string(f->operator_name)
					 : json_null());
		json_array_append_new(all, row);
	}
	return all;
}

static json_t *operators_shown(const struct comparison *c)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < c->operators_n; i++) {
		const struct changed_operator *o = &c->operators[i];
		json_t *row = change_shown(&o->change);
		json_object_set_new(row, "operator", json_string(o->name));
		json_object_set_new(row, "shape",
			o->shape ? json_string(o->shape) : json_null());
		json_object_set_new(row, "inferred",
			o->inferred ? json_string(o->inferred) : json_null());
		json_object_set_new(row, "base_operators",
			texts_shown(o->base_operators, o->base_operators_n));
		json_object_set_new(row, "head_operators",
			texts_shown(o->head_operators, o->head_operators_n));
		json_object_set_new(row, "functions",
			indices_shown(o->functions, o->functions_n));
		json_object_set_new(row, "base_kernels",
			o->base_kernels ? json_string(o->base_kernels)
					: json_null());
		json_object_set_new(row, "head_kernels",
			o->head_kernels ? json_string(o->head_kernels)
					: json_null());
		json_object_set_new(row, "also",
			o->also ? json_string(o->also) : json_null());
		json_array_append_new(all, row);
	}
	return all;
}

static json_t *side_shown(const struct comparison_side *s)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:o}", "runs", (int)s->runs,
		"units", (int)s->units, "iterations", (int)s->iterations,
		"used", (int)s->iterations_used, "detector", (int)s->detector,
		"iteration_ns", number(s->iteration_ns));
}

static json_t *shown(const struct comparison *c)
{
	json_t *findings = json_array(), *split = json_object(),
	       *count = json_object();
	for (uint32_t i = 0; i < c->findings_n; i++)
		json_array_append_new(findings,
			json_pack("[s, s]", finding_name(c->findings[i].code),
				c->findings[i].text));
	for (uint32_t i = 0; i < c->split_n; i++)
		json_object_set_new(split,
			comparison_word_part[c->split[i].part].word,
			change_shown(&c->split[i].change));
	for (int i = 0; i <= CHANGE_UNCHANGED; i++)
		json_object_set_new(count, comparison_word_class[i],
			json_integer(c->count[i]));
	return json_pack(
		"{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:b}",
		"headline", c->headline, "comparable", c->comparable,
		"findings", findings, "base", side_shown(&c->base), "head",
		side_shown(&c->head), "split", split, "count", count, "common",
		c->common.there ? c->common.ratio : 0.0, "rows", rows_shown(c),
		"functions", functions_shown(c), "operators",
		operators_shown(c), "by_operator", c->by_operator);
}

static bool run(struct sides *x, const struct compare_options *o, bool job,
	bool swap, struct comparison *out)
{
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < x->n[s]; i++) {
			x->runs[s][i].job = job ? s + 1 : 0;
			x->runs[s][i].id = (s + 1) * 1000 + (int64_t)i;
		}
	for (int s = 0; s < 2; s++)
		compare_stems(x->families, x->runs[s], x->n[s], &x->arena);
	return compare_from(x->runs[swap], x->n[swap], x->runs[!swap],
		x->n[!swap], NULL, o, &x->arena, out, &x->e);
}

int main(int argc, char **argv)
{
	static struct sides x;
	struct compare_options o = COMPARE_OPTIONS;
	struct comparison c;
	bool job = false, halves = false, swap = false, ok;
	int side = 0;

	ok = (x.families = catalog_new(NULL, &x.e));
	for (int i = 1; ok && i < argc; i++)
		if (!strcmp(argv[i], "--job"))
			job = true;
		else if (!strcmp(argv[i], "--halves"))
			halves = true;
		else if (!strcmp(argv[i], "--swap"))
			swap = true;
		else if (!strcmp(argv[i], "--floor") && i + 1 < argc)
			o.floor = strtod(argv[++i], NULL);
		else if (!strcmp(argv[i], "--"))
			side = 1;
		else
			ok = file_add(&x, side, argv[i]);
	if (ok && halves)
		halve(&x);
	ok = ok && run(&x, &o, job, swap, &c);
	if (ok) {
		json_auto_t *j = shown(&c);
		json_dumpf(j, stdout, JSON_INDENT(1));
		puts("");
	} else {
		fprintf(stderr, "compare_files: %s\n", x.e.text);
	}
	arena_release(&x.arena);
	catalog_free(x.families);
	return ok ? 0 : 1;
}
