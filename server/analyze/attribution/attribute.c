/* attribute.c - calls the attribution sources in order, completes the shapes of
 * attention from serving steps, and makes the rows of operators. */
#include "attribute.h"
#include "attribute_sources.h"
#include "graph_capture.h"
#include "correlation.h"
#include "profile.h"
#include "serving_steps.h"
#include <string.h>

enum { SIZES_MOST = 32 };

struct attribute_totals {
	int64_t seqs, tokens, kv_tokens; /* -1 unknown */
};

/* A combination of an operator's sizes with the totals of a serving step. Each
 * combination has one shape. */
struct attribute_joined {
	const struct operator_info *op;
	const struct shape *before;
	struct attribute_totals totals;
};

struct attribute_filler {
	struct attribution *x;
	struct serving_steps steps;
	struct names joined; /* struct attribute_joined */
	const struct shape **shapes; /* by id */
	uint32_t cap;
};

/* Finds the totals of a step for an operator. False if the operator processes
 * none of the step's sequences, or if this is unknown. A mixed step does not
 * record how many of its keys belong to operators that only decode or only
 * prefill. */
static bool attribute_step_totals(const struct operator_info *is,
	const struct serving_work *work, struct attribute_totals *out)
{
	*out = (struct attribute_totals){ work->sequences, work->tokens,
		work->kv_tokens };
	if (!strcmp(is->name, "unified_attention"))
		return true;
	if (!strcmp(is->name, "attention_forward"))
		return work->phase == PHASE_PREFILL;
	if (strcmp(is->name, "paged_attention_decode") != 0 &&
		strcmp(is->name, "mla_decode_attention") != 0)
		return false;
	if (work->phase != PHASE_MIXED)
		return work->phase == PHASE_DECODE;
	out->kv_tokens = -1;
	out->seqs = work->context < 0 ? -1 : work->sequences - work->context;
	return out->seqs > 0;
}

static const struct size *attribute_size(const struct shape *s,
	const char *name)
{
	return s ? shape_size(s, name) : NULL;
}

/* Makes a shape with the operator's sizes in the catalog's order. A size that
 * the operator lacks is taken from the step. */
static bool attribute_join_shape(struct attribute_filler *f,
	const struct attribute_joined *j, const struct shape **out)
{
	const struct {
		const char *name;
		const int64_t *value;
	} adds[] = { { "seqs", &j->totals.seqs },
		{ "tokens", &j->totals.tokens },
		{ "kv_tokens", &j->totals.kv_tokens } };
	const struct operator_info *is = j->op;
	bool keys = attribute_size(j->before, "seq_lens") ||
		    attribute_size(j->before, "context");
	struct arena *a = f->x->arena;
	struct size *list = arena_array(a, struct size, SIZES_MOST + 1);
	struct shape *shape = arena_new(a, struct shape);
	uint64_t values = 0;
	uint32_t n = 0;

	*out = j->before;
	if (!list || !shape)
		return false;
	for (uint32_t i = 0; i < is->sizes_n && n < SIZES_MOST; i++) {
		const struct size *has =
			attribute_size(j->before, is->sizes[i]);
		if (has) {
			list[n++] = *has;
			continue;
		}
		for (size_t k = 0; k < sizeof adds / sizeof *adds; k++) {
			if (strcmp(adds[k].name, is->sizes[i]) != 0 ||
				*adds[k].value < 0 ||
				(keys && !strcmp(adds[k].name, "kv_tokens")))
				continue;
			int64_t *value = arena_new(a, int64_t);
			if (!value)
				return false;
			*value = *adds[k].value;
			list[n++] =
				(struct size){ is->sizes[i], value, 1, false };
		}
	}
	for (uint32_t i = 0; i < n; i++)
		values += list[i].n;
	/* Keeps the old shape if the step adds no size: the old one may have
	 * sizes that the catalog does not name. Also keeps it if the new one
	 * has too many values. */
	if ((j->before && n <= j->before->n) || values > SHAPE_VALUES)
		return true;
	*shape = (struct shape){ j->before ? j->before->dtype : DTYPE_UNKNOWN,
		list, n };
	*out = n ? shape : j->before;
	return true;
}

static bool attribute_joined_shape(struct attribute_filler *f,
	const struct attribute_joined *j, const struct shape **out)
{
	uint32_t known = f->joined.n;
	uint32_t id = names_put(&f->joined, (const char *)j, sizeof *j);

	if (id == NAMES_NONE)
		return false;
	if (id >= f->cap) {
		uint32_t cap = id * 2 + 64;
		void *grown = arena_grow(f->joined.arena, f->shapes,
			cap * sizeof *f->shapes);
		if (!grown)
			return false;
		f->shapes = grown;
		f->cap = cap;
	}
	if (id == known && !attribute_join_shape(f, j, &f->shapes[id]))
		return false;
	*out = f->shapes[id];
	return true;
}

static bool attribute_serving_launch(struct attribute_filler *f, uint32_t call,
	struct attributed *to)
{
	const struct call_rows *c = &f->x->trace->call;
	struct attribute_joined j = { to->op, to->sizes, { -1, -1, -1 } };

	if (!to->op || call == CORRELATION_NONE ||
		strcmp(to->op->group, "attention") != 0)
		return true;
	const struct serving_work *work =
		serving_steps_at(&f->steps, c->thread[call], c->start_ns[call]);
	if (!work || !attribute_step_totals(to->op, work, &j.totals))
		return true;
	const struct shape *before = to->sizes;
	if (!attribute_joined_shape(f, &j, &to->sizes))
		return false;
	if (to->sizes != before && to->known != KNOWN_GRAPH &&
		to->known != KNOWN_NODE)
		to->known = KNOWN_SIZES;
	return true;
}

/* Adds sizes from serving steps to shapes that lack them. False if the arena is
 * full. */
static bool attribute_serving(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct attribute_filler f = { .x = x };
	uint32_t n = x->proc->kernel.to - x->proc->kernel.from;

	bool ok = serving_steps_find(x->trace, x->proc, &scratch, &f.steps) &&
		  names_init(&f.joined, &scratch);
	for (uint32_t i = 0; ok && f.steps.n && i < n; i++)
		ok = attribute_serving_launch(&f, x->call_of[i], &x->of[i]);
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

/* The platform of a device's name; NULL if the catalog has none. */
static const struct platform *attribute_platform_by_name(const struct catalog
								 *c,
	const char *name)
{
	return name && *name ? catalog_device(c, name) : NULL;
}

/* The platform of all devices that the file lists for a process; NULL if they
 * differ. ROCm's traces number the devices of launches differently from the
 * listed devices. But a process only runs on devices that are listed for it. */
static const struct platform *attribute_listed_platform(
	const struct attribution *at)
{
	const struct trace *t = at->trace;
	const struct platform *all = NULL;

	for (uint32_t i = 0; i < t->devices_n; i++) {
		const struct device *d = &t->devices[i];
		if (d->process >= 0 && (uint32_t)d->process != at->process)
			continue;
		const struct platform *own =
			attribute_platform_by_name(at->catalog,
				names_text(&t->names, d->name));
		if (!own || (all && own != all))
			return NULL;
		all = own;
	}
	return all;
}

/* The platform of all devices that the process used; NULL if one is unknown or
 * if they differ. */
static const struct platform *attribute_platform(const struct attribution *at)
{
	const struct profile *p = at->profile;
	const struct platform *all = NULL;

	for (uint32_t i = 0; i < p->devices_n; i++) {
		const struct platform *own =
			p->devices[i].name
				? attribute_platform_by_name(at->catalog,
					  p->devices[i].name)
				: attribute_listed_platform(at);
		if (!own || (all && own != all))
			return NULL;
		all = own;
	}
	return all;
}

static void attribute_begin(struct attribution *at,
	const struct iteration_rows *iterations)
{
	const struct profile *p = at->profile;
	uint32_t n = at->proc->kernel.to - at->proc->kernel.from;

	for (uint32_t i = 0; i < p->kernels_n; i++)
		if (p->kernels[i].op)
			at->by_rule[i] =
				catalog_operator(at->catalog, p->kernels[i].op);
	for (uint32_t i = 0; i < n; i++)
		at->of[i] = (struct attributed){ .known = KNOWN_NOT,
			.phase = attribute_rows_phase(p, iterations->kernel[i]),
			.call = LAUNCH_NO_CALL };
}

static void attribute_by_rule(struct attribution *at)
{
	for (uint32_t i = 0; i < at->proc->kernel.to - at->proc->kernel.from;
		i++) {
		struct attributed *to = &at->of[i];
		if (to->op || !at->by_rule[at->kernel_of[i]])
			continue;
		to->op = at->by_rule[at->kernel_of[i]];
		to->known = KNOWN_RULE;
	}
}

bool attribute_from(struct attribution *at,
	const struct iteration_rows *iterations)
{
	struct profile *p = at->profile;
	struct attribute_host host;

	at->proc = &at->trace->processes[at->process];
	at->arena = p->arena;
	at->host = &host;
	size_t n = (size_t)(at->proc->kernel.to - at->proc->kernel.from) + 1;
	at->platform = attribute_platform(at);
	at->of = arena_grow(p->arena, NULL, n * sizeof *at->of);
	at->by_rule = arena_grow(p->arena, NULL,
		((size_t)p->kernels_n + 1) * sizeof *at->by_rule);
	bool ok = attribute_op_init(&host, at) && at->of && at->by_rule;
	if (ok)
		attribute_begin(at, iterations);
	ok = ok && graph_captures_find(at) && attribute_range_shapes(at) &&
	     attribute_op(at) && attribute_range_modules(at) &&
	     attribute_graph(at);
	if (ok)
		attribute_by_rule(at);
	ok = ok && attribute_serving(at) && attribute_rows(at, iterations);
	attribute_op_release(&host);
	at->host = NULL;
	return ok;
}

void attribute_release(struct attribution *at)
{
	if (!at->arena)
		return;
	arena_drop(at->arena, at->of);
	arena_drop(at->arena, at->by_rule);
}
