/* breakdown_bound.c - a call's least time, dealt out to its launches by how
 * long each took.
 *
 * What a call is of is what its first launch is of, as for operators
 * (attribute_group.h). */
#include "attribute_bound.h"
#include "breakdown_work.h"
#include <math.h>

/* By call; a launch without a number is a call of its own. */
struct call {
	const struct attributed *is; /* of its first launch */
	int64_t ns;
};

/* Least times of shapes, each found out once. */
struct least {
	const struct attribution *at;
	struct names met; /* struct shape_key; the id indexes `ps` */
	int64_t *ps; /* -1 unknown */
	uint32_t cap;
};
/* Hashed as bytes, so it has no gaps. */
struct shape_key {
	const struct operator_info *operator;
	const struct shape *sizes;
};

/* Sets *ps; false where the arena is full. */
static bool least_of(struct least *l, const struct attributed *is, int64_t *ps)
{
	struct shape_key key = { is->operator, is->sizes };
	uint32_t known = l->met.n,
		 id = names_put(&l->met, (const char *)&key, sizeof key);

	if (id == NAMES_NONE)
		return false;
	if (id >= l->cap) {
		uint32_t cap = id * 2 + 64;
		void *grown =
			arena_grow(l->at->arena, l->ps, cap * sizeof *l->ps);
		if (!grown)
			return false;
		l->ps = grown;
		l->cap = cap;
	}
	if (id == known)
		l->ps[id] = attribute_least_ps(l->at, is->operator, is->sizes);
	*ps = l->ps[id];
	return true;
}

static struct call *calls_of(const struct breakdown_work *w)
{
	const struct layer_seq *s = w->s;
	struct call *calls = arena_grow(w->a, NULL,
		((size_t)w->at->calls + 1) * sizeof *calls);

	for (uint32_t i = 0; calls && i < s->n; i++) {
		const struct attributed *is = s->items[i].is;
		if (!is || is->call == LAUNCH_NO_CALL)
			continue;
		if (!calls[is->call].is)
			calls[is->call].is = is;
		calls[is->call].ns += s->items[i].dur_ns;
	}
	return calls;
}

__extension__ typedef __int128 wide;

static bool add(struct breakdown_work *w, struct least *l,
	const struct call *calls, uint32_t item)
{
	const struct layer_item *i = &w->s->items[item];
	struct breakdown_row *r = &w->out->rows[breakdown_row_of(w, item)];
	struct call call = { i->is, i->dur_ns };
	int64_t ps = -1;

	if (i->is && i->is->call != LAUNCH_NO_CALL)
		call = calls[i->is->call];
	if (!call.is || !call.is->operator|| !call.is->sizes || !call.ns)
		return true;
	if (!least_of(l, call.is, &ps))
		return false;
	int64_t share = (int64_t)((wide)ps * i->dur_ns / call.ns), sum;
	if (ps < 0 || __builtin_add_overflow(r->sol_ps, share, &sum))
		return true;
	r->sol_ps = sum;
	r->bound_ns += i->dur_ns;
	r->bound_launches++;
	return true;
}

bool breakdown_bound(struct breakdown_work *w)
{
	struct least l = { .at = w->at };
	struct call *calls;

	if (!w->at->platform)
		return true;
	calls = calls_of(w);
	bool ok = calls && names_init(&l.met, w->a);
	for (uint32_t i = 0; ok && i < w->order_n; i++)
		ok = add(w, &l, calls, w->order[i]);
	arena_drop(w->a, calls);
	arena_drop(w->a, l.ps);
	return ok;
}
