/* kernel_chain.c - streams walked once, ties drawn, chains counted by shape. */
#include "kernel_chain.h"
#include "layer_words.h"
#include <string.h>

/* A stream of a device; hashed as bytes, so it has no gaps. */
struct lane {
	int64_t device, stream;
};

struct maker {
	struct kernel_chains *c;
	struct arena *a;
	uint8_t *
		act; /* by kernel: of its name, else of its operator; ACTS none */
	size_t cap; /* of shapes */
};

static bool read_acts(struct maker *m)
{
	const struct attribution *at = m->c->at;
	const struct profile *p = at->profile;

	m->act = arena_grow(m->a, NULL, (size_t)p->kernels_n + 1);
	for (uint32_t i = 0; m->act && i < p->kernels_n; i++) {
		const char *name = p->kernels[i].name;
		struct layer_word word = { .act = ACTS };
		bool known = catalog_kernel_word(at->catalog, name,
			strlen(name), &word);
		if (!known && at->by_rule[i])
			known = catalog_operator_word(at->catalog,
				at->by_rule[i]->name, &word);
		m->act[i] = (uint8_t)(known ? word.act : ACTS);
	}
	return m->act;
}

/* Of each row the one before on its stream, and behind. */
static bool neighbours(struct maker *m)
{
	struct kernel_chains *c = m->c;
	const struct kernel_rows *k = &c->at->trace->kernel;
	uint32_t from = c->at->proc->kernel.from, *last = NULL, cap = 0;
	struct names lanes;

	if (!names_init(&lanes, m->a))
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		struct lane lane = { k->device[from + i], k->stream[from + i] };
		uint32_t known = lanes.n;
		uint32_t id =
			names_put(&lanes, (const char *)&lane, sizeof lane);
		if (id == NAMES_NONE)
			return false;
		if (id >= cap) {
			cap = id * 2 + 8;
			uint32_t *grown =
				arena_grow(m->a, last, cap * sizeof *grown);
			if (!grown)
				return false;
			last = grown;
		}
		c->before[i] = id < known ? last[id] : CHAIN_NONE;
		c->behind[i] = CHAIN_NONE;
		if (c->before[i] != CHAIN_NONE)
			c->behind[c->before[i]] = i;
		last[id] = i;
	}
	arena_drop(m->a, last);
	return true;
}

static bool by_catalog(const struct maker *m, uint32_t before, uint32_t row)
{
	const struct attribution *at = m->c->at;
	uint32_t x = at->kernel_of[before], y = at->kernel_of[row];
	const struct operator_info *first = at->by_rule[x],
				   *second = at->by_rule[y];

	if (x == y || !first || !second)
		return false;
	enum fit fit = catalog_fit(first, second),
		 turned = catalog_fit(second, first);
	if (m->act[y] == ACT_HELPER)
		return m->act[x] != ACT_HELPER &&
		       (fit == FIT_SAME || fit == FIT_PART);
	return m->act[x] == ACT_ATTENTION && m->act[y] == ACT_ATTENTION &&
	       (fit == FIT_SAME || fit == FIT_PART || turned == FIT_PART);
}

static bool one_call(const struct attribution *at, uint32_t a, uint32_t b)
{
	return at->of[a].call != LAUNCH_NO_CALL &&
	       at->of[a].call == at->of[b].call;
}

static bool tie(const struct maker *m, uint32_t before, uint32_t row)
{
	const struct attribution *at = m->c->at;

	if (one_call(at, before, row))
		return true;
	if (at->of[before].call != LAUNCH_NO_CALL &&
		at->of[row].call != LAUNCH_NO_CALL)
		return false;
	return by_catalog(m, before, row);
}

/* The shape of the chain that begins here; false where there is none. */
static bool shape_of(const struct kernel_chains *c, uint32_t head,
	struct chain_shape *out)
{
	bool differ = false;

	*out = (struct chain_shape){ .first = head, .called = 1 };
	for (uint32_t i = head; i != CHAIN_NONE; i = c->behind[i]) {
		if (i != head && !c->tied[i])
			break;
		if (out->n == CHAIN_MOST)
			return false;
		if (i != head && !one_call(c->at, c->before[i], i))
			out->called = 0;
		out->kernels[out->n] = c->at->kernel_of[i];
		differ = differ || out->kernels[out->n] != out->kernels[0];
		out->n++;
	}
	return differ;
}

static bool count_shape(struct maker *m, struct names *seen,
	const struct chain_shape *is)
{
	struct kernel_chains *c = m->c;
	uint32_t id = names_put(seen, (const char *)is->kernels,
		is->n * sizeof *is->kernels);

	if (id == NAMES_NONE)
		return false;
	if (id > c->shapes_n) {
		if (c->shapes_n == m->cap) {
			size_t cap = m->cap * 2 + 64;
			void *grown = arena_grow(m->a, c->shapes,
				cap * sizeof *c->shapes);
			if (!grown)
				return false;
			c->shapes = grown;
			m->cap = cap;
		}
		c->shapes[c->shapes_n] = *is;
		c->shapes[c->shapes_n++].called = 0;
	}
	c->shapes[id - 1].chains++;
	c->shapes[id - 1].called += is->called;
	for (uint32_t i = is->first, k = 0; k < is->n; i = c->behind[i], k++)
		c->shape[i] = id - 1;
	return true;
}

bool kernel_chains_from(struct kernel_chains *c, const struct attribution *at,
	struct arena *a)
{
	struct maker m = { .c = c, .a = a };
	struct names seen;
	struct chain_shape is;

	*c = (struct kernel_chains){ .at = at,
		.n = at->proc->kernel.to - at->proc->kernel.from };
	size_t n = (size_t)c->n + 1;
	c->before = arena_grow(a, NULL, n * sizeof *c->before);
	c->behind = arena_grow(a, NULL, n * sizeof *c->behind);
	c->shape = arena_grow(a, NULL, n * sizeof *c->shape);
	c->tied = arena_grow(a, NULL, n);
	bool ok = c->before && c->behind && c->shape && c->tied &&
		  names_init(&seen, a) && read_acts(&m) && neighbours(&m);
	for (uint32_t i = 0; ok && i < c->n; i++) {
		c->shape[i] = CHAIN_NONE;
		c->tied[i] =
			c->before[i] != CHAIN_NONE && tie(&m, c->before[i], i);
	}
	for (uint32_t i = 0; ok && i < c->n; i++)
		if (kernel_chain_head(c, i) && shape_of(c, i, &is))
			ok = count_shape(&m, &seen, &is);
	arena_drop(a, m.act);
	return ok;
}
