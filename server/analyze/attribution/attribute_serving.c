/* attribute_serving.c - steps around the launches of attention, and their
 * totals put into the places that its operator has for them. */
#include "attribute_serving.h"
#include "correlation.h"
#include "serving_steps.h"
#include <string.h>

enum { SIZES_MOST = 32 };

struct totals {
	int64_t seqs, tokens, kv_tokens; /* -1 not told */
};

/* One shape for each way in which sizes and a step came together. */
struct joined {
	const struct operator_info *operator;
	const struct shape *before;
	struct totals totals;
};

struct filler {
	struct attribution *x;
	struct serving_steps steps;
	struct names joined; /* struct joined */
	const struct shape **shapes; /* by id */
	uint32_t cap;
};

/* What of a step an operator works on: those that only decode, or only take
 * whole prompts, are not told their share of a mixed step's keys. */
static bool share(const struct operator_info *is, const struct serving *work,
	struct totals *out)
{
	*out = (struct totals){ work->sequences, work->tokens,
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

static const struct size *told(const struct shape *s, const char *name)
{
	return s ? shape_size(s, name) : NULL;
}

/* The operator's sizes in its order: those there are, and the step's where there
 * is none. */
static bool join(struct filler *f, const struct joined *j,
	const struct shape **out)
{
	const struct {
		const char *name;
		const int64_t *value;
	} adds[] = { { "seqs", &j->totals.seqs },
		{ "tokens", &j->totals.tokens },
		{ "kv_tokens", &j->totals.kv_tokens } };
	const struct operator_info *is = j->operator;
	bool keys = told(j->before, "seq_lens") || told(j->before, "context");
	struct arena *a = f->x->arena;
	struct size *list = arena_array(a, struct size, SIZES_MOST + 1);
	struct shape *shape = arena_new(a, struct shape);
	uint64_t values = 0;
	uint32_t n = 0;

	*out = j->before;
	if (!list || !shape)
		return false;
	for (uint32_t i = 0; i < is->sizes_n && n < SIZES_MOST; i++) {
		const struct size *has = told(j->before, is->sizes[i]);
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
	/* Sizes that the catalogue does not name are all there is; a shape that
	 * is full already takes none on. */
	if ((j->before && n <= j->before->n) || values > SHAPE_VALUES)
		return true;
	*shape = (struct shape){ j->before ? j->before->dtype : DTYPE_UNKNOWN,
		list, n };
	*out = n ? shape : j->before;
	return true;
}

static bool joined(struct filler *f, const struct joined *j,
	const struct shape **out)
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
	if (id == known && !join(f, j, &f->shapes[id]))
		return false;
	*out = f->shapes[id];
	return true;
}

static bool launch(struct filler *f, uint32_t call, struct attributed *to)
{
	const struct call_rows *c = &f->x->trace->call;
	struct joined j = { to->operator, to->sizes, { -1, -1, -1 } };

	if (!to->operator|| call == CORRELATION_NONE ||
		strcmp(to->operator->group, "attention") != 0)
		return true;
	const struct serving *work =
		serving_steps_at(&f->steps, c->thread[call], c->start_ns[call]);
	if (!work || !share(to->operator, work, &j.totals))
		return true;
	const struct shape *before = to->sizes;
	if (!joined(f, &j, &to->sizes))
		return false;
	if (to->sizes != before && to->known != KNOWN_GRAPH &&
		to->known != KNOWN_NODE)
		to->known = KNOWN_SIZES;
	return true;
}

bool attribute_serving(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct filler f = { .x = x };
	uint32_t n = x->proc->kernel.to - x->proc->kernel.from;

	bool ok = serving_steps_find(x->trace, x->proc, &scratch, &f.steps) &&
		  names_init(&f.joined, &scratch);
	for (uint32_t i = 0; ok && f.steps.n && i < n; i++)
		ok = launch(&f, x->call_of[i], &x->of[i]);
	arena_scratch_release(&scratch, x->arena);
	return ok;
}
