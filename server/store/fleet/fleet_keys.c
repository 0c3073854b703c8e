/* fleet_keys.c - what a row of the fleet is of. */
#include "fleet_keys.h"
#include "profile_word.h"
#include "column.h"
#include "rollup_code.h"

static int runs_code(const struct fleet_filter *f)
{
	if (f->dtype != DTYPE_UNKNOWN)
		return f->phase != PHASE_UNKNOWN ? KEY_RUNS_BOTH
						 : KEY_RUNS_DTYPE;
	return f->phase != PHASE_UNKNOWN ? KEY_RUNS_PHASE : KEY_RUNS;
}

bool fleet_keys(struct db *db, struct arena *a, const struct fleet_filter *f,
	struct fleet_keys *out, struct err *e)
{
	static const char sql[] =
		"SELECT id, operator, dtype, phase FROM operator_key "
		"WHERE ($1 IS NULL OR operator = $1) "
		"AND ($2 IS NULL OR dtype = $2) "
		"AND ($3 IS NULL OR phase = $3) "
		"ORDER BY id";
	struct sql_params p = { 0 };
	struct result r;
	sql_text(&p, f->operator);
	sql_text(&p, dtype_word(f->dtype));
	sql_text(&p, profile_word_phase[f->phase]);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*out = (struct fleet_keys){ .runs_code = runs_code(f) };
	out->rows = arena_array(a, struct fleet_key, (size_t)r.n);
	while (result_next(&r)) {
		struct fleet_key *k = &out->rows[out->n++];
		k->id = result_int8(&r, 0);
		k->operator= result_text(&r, a);
		const char *dtype = result_text(&r, a);
		const char *phase = result_text(&r, a);
		if (dtype)
			k->dtype = dtype_from(dtype, strlen(dtype));
		if (phase)
			k->phase = (enum phase)read_word_of(phase,
				profile_word_phase, PHASES);
	}
	result_release(&r);
	return true;
}

const struct fleet_key *fleet_key(const struct fleet_keys *k, int64_t id)
{
	uint32_t from = 0, to = k->n;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (k->rows[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	return from < k->n && k->rows[from].id == id ? &k->rows[from] : NULL;
}
