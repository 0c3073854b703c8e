/* layer_steps.c - what several kernels do together, as programs do that call one
 * operator at a time. */
#include "layer_doing.h"

/* Steps that look as far ahead as the next product: no layer has as many. */
enum { LOOKS_MOST = 1024 };

struct lane {
	struct doing *d;
	const uint32_t *at;
	uint32_t n;
};

static struct doing *of(const struct lane *l, uint32_t i)
{
	return &l->d[l->at[i]];
}

static enum layer_act act(const struct lane *l, uint32_t i)
{
	return i < l->n ? of(l, i)->act : ACTS;
}

/* x · 1/√(mean of x² + ε) · w, with changes of type: around the root. */
static void norm_at(const struct lane *l, uint32_t root)
{
	uint32_t from = root, to = root;
	bool mean = false;

	while (from && root - from < 5) {
		enum layer_act a = act(l, from - 1);
		bool take = mean ? a == ACT_POWER || a == ACT_MULTIPLY ||
					    a == ACT_CONVERT
				 : a == ACT_ADD || a == ACT_MEAN;
		if (!take)
			break;
		mean |= a == ACT_MEAN;
		from--;
		if (mean && a == ACT_CONVERT)
			break;
	}
	while (to - root < 3 && (act(l, to + 1) == ACT_MULTIPLY ||
					act(l, to + 1) == ACT_CONVERT))
		to++;
	for (uint32_t i = from; mean && i <= to; i++) {
		of(l, i)->act = ACT_NORM;
		of(l, i)->step = true;
	}
}

/* x · cos + cat(-x₂, x₁) · sin: from the first factor to the last sum. */
static void rope_in(const struct lane *l, uint32_t from, uint32_t to)
{
	uint32_t first = to, last = from;
	bool negate = false, cat = false;

	for (uint32_t i = from; i < to; i++) {
		enum layer_act a = act(l, i);
		negate |= a == ACT_NEGATE;
		cat |= a == ACT_CAT;
		if (first == to && (a == ACT_MULTIPLY || a == ACT_NEGATE))
			first = i;
		if (a == ACT_ADD || a == ACT_CAT || a == ACT_MULTIPLY)
			last = i;
	}
	for (uint32_t i = first; negate && cat && i <= last; i++) {
		of(l, i)->act = ACT_ROPE;
		of(l, i)->roles = ROLE_BIT(ROPE);
		of(l, i)->block = BLOCK_ATTENTION;
	}
}

/* The next doing that is more than a step on the way; n where there is none. */
static uint32_t next_solid(const struct lane *l, uint32_t i)
{
	do
		i++;
	while (i < l->n && (doing_soft(of(l, i)) || act(l, i) == ACT_HELPER ||
				   act(l, i) == ACT_QUANTIZE));
	return i;
}

static bool reduces(const struct lane *l, uint32_t from, uint32_t to)
{
	while (from < to && !of(l, from)->reduces)
		from++;
	return from < to;
}

/* Between two products a softmax is attention's, with what is done to scores
 * before and behind it; before a choice it is part of that. Step by step it has the
 * largest of each row before the exponents, their sum behind. */
static void softmax_at(const struct lane *l, uint32_t i, uint32_t before)
{
	uint32_t next = next_solid(l, i);
	bool whole = act(l, i) == ACT_SOFTMAX ||
		     (reduces(l, before + 1, i) && reduces(l, i + 1, next));

	if (whole && (act(l, next) == ACT_SORT || act(l, next) == ACT_ROUTING))
		of(l, i)->act = ACT_ROUTING;
	else if (whole && before < l->n && act(l, next) == ACT_PRODUCT) {
		for (uint32_t k = before; k <= next; k++)
			if (k == before || k == i || k == next ||
				doing_soft(of(l, k)))
				of(l, k)->act = ACT_ATTENTION;
	} else
		of(l, i)->act = ACT_GLUE;
}

/* x · ½ · (1 + tanh(…)), or erf: from the first factor to the last. */
static void gelu_at(const struct lane *l, uint32_t i, uint32_t before)
{
	uint32_t next = next_solid(l, i), k = i;
	bool begun = false;

	if (before >= l->n || act(l, next) != ACT_PRODUCT)
		return;
	while (k < next && act(l, k) != ACT_ADD)
		k++;
	while (k < next && act(l, k) != ACT_MULTIPLY)
		k++;
	for (uint32_t at = before + 1; k < next && at < next; at++) {
		struct doing *d = of(l, at);
		begun |= at == i || d->act == ACT_MULTIPLY ||
			 d->act == ACT_POWER;
		if (!begun || !doing_soft(d) || d->moves)
			continue;
		d->act = ACT_ACTIVATION;
		d->roles = ROLE_BIT(ACTIVATION);
		d->step = true;
	}
}

static void activation_at(const struct lane *l, uint32_t i, uint32_t before)
{
	enum layer_act next = act(l, next_solid(l, i));

	if (next == ACT_SORT || next == ACT_ROUTING)
		of(l, i)->act = ACT_ROUTING;
	else
		gelu_at(l, i, before);
}

static bool experts_act(enum layer_act a)
{
	return a == ACT_EXPERTS || a == ACT_DISPATCH || a == ACT_PERMUTE ||
	       a == ACT_ACTIVATION || a == ACT_COMBINE;
}

/* The best of many are experts where these come next, not attention. */
static void sort_at(const struct lane *l, uint32_t i)
{
	uint32_t next = i;

	while (next < l->n &&
		(next == i || !(experts_act(act(l, next)) ||
				      act(l, next) == ACT_ATTENTION)))
		next++;
	of(l, i)->act = experts_act(act(l, next)) ? ACT_ROUTING : ACT_GLUE;
}

void layer_norm_steps(struct doings *s, const uint32_t *at, uint32_t n)
{
	const struct lane l = { s->d, at, n };

	for (uint32_t i = 0; i < n; i++)
		if (act(&l, i) == ACT_ROOT)
			norm_at(&l, i);
}

void layer_steps(struct doings *s, const uint32_t *at, uint32_t n)
{
	const struct lane l = { s->d, at, n };
	uint32_t before = n, sorts = 0, looks = 0;

	layer_norm_steps(s, at, n);
	for (uint32_t i = 0, from = 0; i <= n; i++)
		if (i == n || !doing_soft(of(&l, i))) {
			rope_in(&l, from, i);
			from = i + 1;
		}
	for (uint32_t i = 0; i < n; i++) {
		enum layer_act a = act(&l, i);
		bool softmax = a == ACT_SOFTMAX || a == ACT_EXPONENT,
		     step = a == ACT_ACTIVATION && of(&l, i)->step;
		if ((softmax || step) && looks++ == LOOKS_MOST)
			break;
		if (softmax)
			softmax_at(&l, i, before);
		if (step)
			activation_at(&l, i, before);
		if (a == ACT_PRODUCT)
			before = i;
		else if (!doing_soft(of(&l, i)) && a != ACT_HELPER &&
			 a != ACT_QUANTIZE)
			before = n;
	}
	/* Each looks ahead as far as experts: more than these are no choice of
	 * theirs. */
	for (uint32_t i = 0; i < n; i++)
		if (act(&l, i) == ACT_SORT) {
			if (sorts++ < 64)
				sort_at(&l, i);
			else
				of(&l, i)->act = ACT_GLUE;
		}
	for (uint32_t i = 0; i < n; i++)
		if (act(&l, i) == ACT_ROUTING) {
			of(&l, i)->roles = ROLE_BIT(TOPK);
			of(&l, i)->block = BLOCK_GATE;
		}
}
