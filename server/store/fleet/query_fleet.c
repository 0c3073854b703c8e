/* query_fleet.c - sums over runs, read from the rollups and what is not folded
 * into them yet. */
#include "fleet_counts.h"
#include "fleet_select.h"
#include "fleet_keys.h"
#include "fleet_runs.h"
#include "ledger.h"
#include "rollup_code.h"
#include <string.h>
#include <time.h>

/* One statement, so that a folder cannot come between. */
static const char sums_sql[] =
	"SELECT p.sign, c.cell, c.project, c.workload, c.platform, "
	"c.framework, c.sums "
	"FROM " FLEET_PIECES
	" JOIN rollup_cell c ON c.grain = p.grain AND c.first = p.first "
	"WHERE " FLEET_OF("c") "UNION ALL "
			       "SELECT 1::bigint, d.cell, d.project, "
			       "d.workload, d.platform, "
			       "d.framework, d.sums "
			       "FROM rollup_delta d WHERE " FLEET_OF("d")
				       FLEET_DAY("d");

enum { CELL_BYTES = 32 };

/* A cell, its ledger, and the next one of the same slot of the table. */
struct sum {
	const uint8_t *cell;
	struct fleet_cell is;
	struct ledger sums;
	struct sum *next;
};

struct sums {
	struct arena *arena; /* of the answer */
	struct arena work; /* of the way there */
	struct sum **slots;
	uint32_t slots_n; /* a power of two */
	struct sum **list; /* in the order they were met */
	uint32_t n;
};

/* The cell's bytes are a hash already. They stay where the rows are. */
static struct sum *sum_of(struct sums *s, const uint8_t *cell, bool *made)
{
	uint32_t at;
	memcpy(&at, cell, sizeof at);
	at &= s->slots_n - 1;
	struct sum *sum = s->slots[at];
	while (sum && memcmp(sum->cell, cell, CELL_BYTES) != 0)
		sum = sum->next;
	*made = !sum;
	if (sum)
		return sum;
	sum = arena_new(&s->work, struct sum);
	sum->cell = cell;
	sum->sums.arena = &s->work;
	sum->next = s->slots[at];
	s->slots[at] = sum;
	s->list[s->n++] = sum;
	return sum;
}

static void skip_texts(struct result *r)
{
	r->col += 4;
}

static bool add_rows(struct sums *s, struct result *r)
{
	size_t len;
	s->slots_n = 256;
	while (s->slots_n < (uint32_t)r->n)
		s->slots_n *= 2;
	s->slots = arena_array(&s->work, struct sum *, s->slots_n);
	s->list = arena_array(&s->work, struct sum *, (size_t)r->n);
	while (result_next(r)) {
		bool made;
		int sign = (int)result_int8(r, 1);
		struct sum *sum = sum_of(s, result_bytes(r, &len), &made);
		if (made) {
			sum->is.project = result_text(r, s->arena);
			sum->is.workload = result_text(r, s->arena);
			sum->is.platform = result_text(r, s->arena);
			sum->is.framework = result_text(r, s->arena);
		} else {
			skip_texts(r);
		}
		const uint8_t *at = result_bytes(r, &len);
		struct wide_bytes b = { at, at + len, false };
		if (!ledger_read(&sum->sums, &b, sign))
			return false;
	}
	return true;
}

/* g is in millionths of hours, times are in ns. */
static double weighted_s(int128 v)
{
	return (double)v / 1e15;
}

static bool cell_from(const struct ledger *l, struct fleet_cell *c)
{
	if (!l->n || l->rows[0].id != 0 || !ledger_sum(&l->rows[0], CELL_RUNS))
		return false;
	c->runs = (int64_t)ledger_sum(&l->rows[0], CELL_RUNS);
	c->weight = (double)ledger_sum(&l->rows[0], CELL_WEIGHT) / 1e6;
	c->total_s = (double)ledger_sum(&l->rows[0], CELL_GPU) / 1e9;
	c->weighted_s = weighted_s(ledger_sum(&l->rows[0], CELL_W_GPU));
	return true;
}

static void row_from(const int128 v[KEY_CODES], const struct fleet_keys *keys,
	const struct fleet_key *key, struct fleet_row *row)
{
	row->operator= key->operator;
	row->dtype = key->dtype;
	row->phase = key->phase;
	row->runs = (int64_t)v[keys->runs_code];
	row->launches = (int64_t)v[KEY_LAUNCHES];
	row->calls = (int64_t)v[KEY_CALLS];
	row->bound_calls = (int64_t)v[KEY_BOUND_CALLS];
	row->total_s = (double)v[KEY_TOTAL] / 1e9;
	row->share = (double)v[KEY_SHARE] / 1e12;
	row->weighted_s = weighted_s(v[KEY_W_TOTAL]);
	row->sized_s = weighted_s(v[KEY_W_SIZED]);
	row->bound_s = weighted_s(v[KEY_W_BOUND]);
	row->sol_s = weighted_s(v[KEY_W_SOL]) / 1e3;
	row->compute_s = weighted_s(v[KEY_W_COMPUTE]);
	row->headroom_s = weighted_s(v[KEY_W_HEADROOM]);
	row->over_s = weighted_s(v[KEY_W_OVER]);
	row->flops = (double)v[KEY_W_FLOPS] / 1e6;
	row->bytes = (double)v[KEY_W_BYTES] / 1e6;
}

/* The terms of a row by their codes. */
static void spread(const struct ledger_row *row, int128 v[KEY_CODES])
{
	memset(v, 0, KEY_CODES * sizeof *v);
	for (uint32_t i = 0; i < row->n; i++)
		if (row->terms[i].code < KEY_CODES)
			v[row->terms[i].code] = row->terms[i].sum;
}

static void fill(const struct sums *s, const struct fleet_keys *keys,
	struct fleet *out)
{
	size_t rows = 0;
	for (uint32_t i = 0; i < s->n; i++)
		rows += s->list[i]->sums.n;
	out->cells = arena_array(s->arena, struct fleet_cell, s->n);
	out->rows = arena_array(s->arena, struct fleet_row, rows);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct ledger *l = &s->list[i]->sums;
		if (!cell_from(l, &s->list[i]->is))
			continue;
		out->cells[out->cells_n] = s->list[i]->is;
		for (uint32_t k = 1; k < l->n; k++) {
			const struct ledger_row *row = &l->rows[k];
			const struct fleet_key *key = fleet_key(keys, row->id);
			int128 v[KEY_CODES];
			if (!key)
				continue;
			spread(row, v);
			if (!v[KEY_RUNS_BOTH])
				continue;
			struct fleet_row *to = &out->rows[out->rows_n++];
			to->cell = out->cells_n;
			row_from(v, keys, key, to);
		}
		out->cells_n++;
	}
}

static bool from_rollups(struct db *db, struct arena *a,
	const struct fleet_filter *f, struct fleet *out, struct err *e)
{
	struct sql_params p = { 0 };
	struct result r;
	struct fleet_pieces pieces;
	struct fleet_keys keys;
	struct sums s = { .arena = a };
	struct fleet_days d = fleet_days(f);
	fleet_pieces_init(&pieces, d, (int32_t)(time(NULL) / 86400));
	fleet_params(&p, &pieces, f, d);
	bool ok = sql_hot(db, sums_sql, &p, &r, e);
	fleet_pieces_release(&pieces);
	if (!ok)
		return false;
	ok = add_rows(&s, &r) ||
	     err_set(e, ERR_INTERNAL, "stored sums cannot be read");
	/* The dictionary last: it has whatever the sums name. */
	ok = ok && fleet_keys(db, a, f, &keys, e);
	if (ok)
		fill(&s, &keys, out);
	result_release(&r);
	arena_release(&s.work);
	return ok;
}

bool query_fleet(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet *out, struct err *e)
{
	*out = (struct fleet){ 0 };
	return (f->labels ? fleet_from_runs(db, a, f, out, e)
			  : from_rollups(db, a, f, out, e)) &&
	       fleet_counts(db, a, f, out, e) &&
	       fleet_uncounted(db, f, &out->uncounted, e) &&
	       fleet_left_out(db, f, &out->left_out, e);
}
