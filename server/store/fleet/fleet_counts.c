/* fleet_counts.c - shapes are counted from how many runs had each, and what is not
 * folded yet: of its ledgers only how many runs have a shape is looked at. */
#include "fleet_counts.h"
#include "fleet_keys.h"
#include "ledger.h"
#include "rollup_code.h"
#include "sql.h"
#include <stdlib.h>
#include <string.h>

/* Runs of an operator's shape, as one ledger tells them. */
struct seen {
	uint32_t operator_; /* the first key of its name */
	int64_t shape, runs;
};

struct counting {
	struct arena work;
	const struct fleet_keys *keys;
	uint32_t *operator_; /* by key */
	uint32_t at; /* the operator whose ledger is read */
	struct seen *seen;
	size_t n, room;
};

static bool asks_for_all(const struct fleet_filter *f)
{
	return !f->project && !f->workload && !f->framework && !f->platform &&
	       !f->labels &&
	       !f->operator&& f->phase == PHASE_UNKNOWN &&
		f->dtype == DTYPE_UNKNOWN && f->since == NO_MOMENT &&
		f->until == NO_MOMENT;
}

static void name_operators(struct counting *c)
{
	const struct fleet_key *k = c->keys->rows;
	c->operator_ = arena_array(&c->work, uint32_t, c->keys->n);
	for (uint32_t i = 0; i < c->keys->n; i++) {
		uint32_t first = 0;
		while (first < i &&
			k[i].operator&&(
				!k[first].operator||
				 strcmp(k[first].operator, k[i].operator) != 0))
			first++;
		c->operator_[i] = k[i].operator? first : i;
	}
}

static void see(void *ctx, int64_t shape, int128 runs)
{
	struct counting *c = ctx;
	if (!shape || !runs)
		return;
	if (c->n == c->room) {
		c->room = c->room ? c->room * 2 : 1024;
		c->seen = arena_grow(&c->work, c->seen,
			c->room * sizeof *c->seen);
	}
	c->seen[c->n++] = (struct seen){ c->at, shape, (int64_t)runs };
}

/* One ledger after the other, each behind its key and how long it is; or the one
 * of a key. */
static bool read_ledgers(struct counting *c, int64_t key, struct wide_bytes b)
{
	bool ok = true;
	while (ok && b.at < b.end) {
		int64_t id = key ? key : (int64_t)wide_next(&b);
		int128 len = key ? b.end - b.at : wide_next(&b);
		if (b.bad || len < 0 || len > b.end - b.at)
			return false;
		struct wide_bytes one = { b.at, b.at + len, false };
		const struct fleet_key *k = fleet_key(c->keys, id);
		b.at += len;
		if (!k || !k->operator)
			continue;
		c->at = c->operator_[k - c->keys->rows];
		ok = ledger_each(&one, SHAPE_RUNS, see, c);
	}
	return ok;
}

static bool read_all(struct db *db, struct counting *c, struct err *e)
{
	static const char sql[] =
		"SELECT s.key_id, s.seen "
		"FROM operator_key k JOIN rollup_seen s ON s.key_id = k.id "
		"WHERE k.operator IS NOT NULL "
		"UNION ALL SELECT NULL, d.shapes FROM rollup_delta d";
	const struct sql_params none = { 0 };
	struct result r;
	bool ok = true;
	if (!sql_hot(db, sql, &none, &r, e))
		return false;
	while (ok && result_next(&r)) {
		size_t len;
		int64_t key = result_int8(&r, 0);
		const uint8_t *at = result_bytes(&r, &len);
		ok = read_ledgers(c, key,
			(struct wide_bytes){ at, at + len, false });
	}
	result_release(&r);
	return ok || err_set(e, ERR_INTERNAL, "stored sums cannot be read");
}

static int by_shape(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	if (x->operator_ != y->operator_)
		return x->operator_ < y->operator_ ? -1 : 1;
	return (x->shape > y->shape) - (x->shape < y->shape);
}

static void count(struct counting *c, struct arena *a, struct fleet *out)
{
	struct fleet_count *to =
		arena_array(a, struct fleet_count, c->keys->n + 1);
	out->counts = to;
	if (c->n)
		qsort(c->seen, c->n, sizeof *c->seen, by_shape);
	for (size_t i = 0, next; i < c->n; i = next) {
		const struct seen *s = &c->seen[i];
		const char *name = c->keys->rows[s->operator_].operator;
		int64_t runs = 0;
		for (next = i; next < c->n && !by_shape(s, &c->seen[next]);
			next++)
			runs += c->seen[next].runs;
		if (!out->counts_n || to[out->counts_n - 1].operator!= name)
			to[out->counts_n++].operator= name;
		to[out->counts_n - 1].shapes += runs > 0;
	}
}

bool fleet_counts(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e)
{
	struct fleet_keys keys;
	struct counting c = { .keys = &keys };
	if (!asks_for_all(f))
		return true;
	if (!fleet_keys(db, a, f, &keys, e))
		return false;
	name_operators(&c);
	bool ok = read_all(db, &c, e);
	if (ok)
		count(&c, a, out);
	arena_release(&c.work);
	return ok;
}
