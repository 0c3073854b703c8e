/* fleet_select.c - selects the rollups, runs and keys that a query over a fleet
 * reads. */
#include "fleet_select.h"
#include "column.h"
#include "profile_word.h"
#include "rollup_code.h"
#include <math.h>

static const int64_t DAY_US = INT64_C(86400000000);

/* The first day that begins at or after a time. */
static int32_t fleet_days_day_from(int64_t us)
{
	int64_t day = us / DAY_US;
	return (int32_t)(us > 0 && us % DAY_US ? day + 1 : day);
}

struct fleet_days fleet_days(const struct fleet_filter *f)
{
	return (struct fleet_days){ f->since == NO_MOMENT
					    ? INT32_MIN
					    : fleet_days_day_from(f->since),
		f->until == NO_MOMENT ? INT32_MAX
				      : fleet_days_day_from(f->until) };
}

static void fleet_periods_add(struct fleet_periods *p, int grain, int32_t first,
	int sign)
{
	sql_array_int8(&p->grains, grain);
	sql_array_int8(&p->firsts, first);
	sql_array_int8(&p->signs, sign);
}

/* How each day is reached with the fewest periods: by a period of `grain` days
 * that ends there, or (negative) begins there; 0: not reached yet. */
struct fleet_path {
	int32_t from, to; /* days that are searched */
	int16_t *grain;
	int32_t *days; /* reached days, in that order */
	int32_t n;
};

static void fleet_path_reach(struct fleet_path *w, int32_t day, int grain)
{
	if (day < w->from || day > w->to || w->grain[day - w->from])
		return;
	w->grain[day - w->from] = (int16_t)grain;
	w->days[w->n++] = day;
}

/* Searches breadth-first, backwards from the last day. A period that is passed
 * forwards adds its days; one that is passed backwards subtracts them. */
static void fleet_path_search(struct fleet_path *w, int32_t since,
	int32_t until)
{
	fleet_path_reach(w, until, ROLLUP_GRAIN_MAX);
	for (int32_t i = 0; i < w->n && !w->grain[since - w->from]; i++)
		for (int g = ROLLUP_GRAINS - 1; g > 0; g--) {
			int32_t day = w->days[i];
			if (rollup_first(rollup_grains[g], day) != day)
				continue;
			fleet_path_reach(w, day - rollup_grains[g],
				rollup_grains[g]);
			fleet_path_reach(w, day + rollup_grains[g],
				-rollup_grains[g]);
		}
}

/* Days [since, until), as the fewest periods that add up to them. */
static void fleet_periods_add_days(struct fleet_periods *p, int32_t since,
	int32_t until, int sign)
{
	struct arena work = { 0 };
	struct fleet_path w = { .from = since - ROLLUP_GRAIN_MAX,
		.to = until + ROLLUP_GRAIN_MAX };
	if (since >= until)
		return;
	size_t days = (size_t)(w.to - w.from) + 1;
	w.grain = arena_array(&work, int16_t, days);
	w.days = arena_array(&work, int32_t, days);
	fleet_path_search(&w, since, until);
	for (int32_t day = since; day != until;) {
		int grain = w.grain[day - w.from];
		if (grain > 0)
			fleet_periods_add(p, grain, day, sign);
		else
			fleet_periods_add(p, -grain, day + grain, -sign);
		day += grain;
	}
	arena_release(&work);
}

void fleet_periods_init(struct fleet_periods *p, struct fleet_days d,
	int32_t today)
{
	/* An open end is replaced by the end of a period of the longest
	 * grain. */
	int32_t end =
		rollup_first(ROLLUP_GRAIN_MAX, today) + 2 * ROLLUP_GRAIN_MAX;
	sql_array_init(&p->grains, SQL_INT8);
	sql_array_init(&p->firsts, SQL_INT8);
	sql_array_init(&p->signs, SQL_INT8);
	if (d.since == INT32_MIN) {
		fleet_periods_add(p, 0, 0, 1);
		fleet_periods_add_days(p, d.until > 0 ? d.until : 0, end, -1);
	} else {
		/* Nothing was stored before 1970. */
		fleet_periods_add_days(p, d.since > 0 ? d.since : 0,
			d.until < end ? d.until : end, 1);
	}
}

void fleet_periods_release(struct fleet_periods *p)
{
	sql_array_release(&p->grains);
	sql_array_release(&p->firsts);
	sql_array_release(&p->signs);
}

void fleet_params(struct sql_params *q, struct fleet_periods *p,
	const struct fleet_filter *f, struct fleet_days d)
{
	sql_array(q, &p->grains);
	sql_array(q, &p->firsts);
	sql_array(q, &p->signs);
	sql_text(q, f->project);
	sql_text(q, f->workload);
	sql_text(q, f->platform);
	sql_text(q, f->framework);
	sql_int4(q, d.since);
	sql_int4(q, d.until);
}

void fleet_run_params(struct sql_params *p, const struct fleet_filter *f)
{
	struct fleet_days d = fleet_days(f);
	sql_text(p, f->project);
	sql_text(p, f->workload);
	sql_text(p, f->platform);
	sql_text(p, f->framework);
	sql_float8(p, d.since == INT32_MIN ? NAN : (double)d.since);
	sql_float8(p, d.until == INT32_MAX ? NAN : (double)d.until);
	sql_json(p, f->labels);
	sql_bool(p, f->energy);
}

static int fleet_keys_runs_code(const struct fleet_filter *f)
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
	sql_text(&p, f->op);
	sql_text(&p, dtype_word(f->dtype));
	sql_text(&p, profile_word_phase[f->phase]);
	if (!sql_hot(db, sql, &p, &r, e))
		return false;
	*out = (struct fleet_keys){ .runs_code = fleet_keys_runs_code(f) };
	out->rows = arena_array(a, struct fleet_key, (size_t)r.n);
	while (result_next(&r)) {
		struct fleet_key *k = &out->rows[out->n++];
		k->id = result_int8(&r, 0);
		k->op = result_text(&r, a);
		k->dtype = column_dtype(&r, a);
		k->phase = column_phase(&r, a);
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
