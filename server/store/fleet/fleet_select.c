/* fleet_select.c - days become as few stretches as add up to them. */
#include "fleet_select.h"
#include "rollup_code.h"

static const int64_t DAY_US = INT64_C(86400000000);

/* The first day that begins at or behind a moment. */
static int32_t day_from(int64_t us)
{
	int64_t day = us / DAY_US;
	return (int32_t)(us > 0 && us % DAY_US ? day + 1 : day);
}

struct fleet_days fleet_days(const struct fleet_filter *f)
{
	return (struct fleet_days){ f->since == NO_MOMENT ? INT32_MIN
							  : day_from(f->since),
		f->until == NO_MOMENT ? INT32_MAX : day_from(f->until) };
}

static void piece(struct fleet_pieces *p, int grain, int32_t first, int sign)
{
	sql_array_int8(&p->grains, grain);
	sql_array_int8(&p->firsts, first);
	sql_array_int8(&p->signs, sign);
}

/* How each day is reached with the fewest stretches: by one of `grain` days that
 * ends or (grain below 0) begins there; 0: not yet. */
struct way {
	int32_t from, to; /* days looked at */
	int16_t *grain;
	int32_t *days; /* reached, in the order they were */
	int32_t n;
};

static void reach(struct way *w, int32_t day, int grain)
{
	if (day < w->from || day > w->to || w->grain[day - w->from])
		return;
	w->grain[day - w->from] = (int16_t)grain;
	w->days[w->n++] = day;
}

/* From day to day, breadth first: a stretch adds its days where it is gone along
 * forwards, and takes them away backwards, both without a remainder. */
static void spread_out(struct way *w, int32_t since, int32_t until)
{
	reach(w, until, ROLLUP_GRAIN_MAX);
	for (int32_t i = 0; i < w->n && !w->grain[since - w->from]; i++)
		for (int g = ROLLUP_GRAINS - 1; g > 0; g--) {
			int32_t day = w->days[i];
			if (rollup_first(rollup_grains[g], day) != day)
				continue;
			reach(w, day - rollup_grains[g], rollup_grains[g]);
			reach(w, day + rollup_grains[g], -rollup_grains[g]);
		}
}

/* Days [since, until), as the fewest stretches that come to them. */
static void stretch(struct fleet_pieces *p, int32_t since, int32_t until,
	int sign)
{
	struct arena work = { 0 };
	struct way w = { .from = since - ROLLUP_GRAIN_MAX,
		.to = until + ROLLUP_GRAIN_MAX };
	if (since >= until)
		return;
	size_t days = (size_t)(w.to - w.from) + 1;
	w.grain = arena_array(&work, int16_t, days);
	w.days = arena_array(&work, int32_t, days);
	spread_out(&w, since, until);
	for (int32_t day = since; day != until;) {
		int grain = w.grain[day - w.from];
		if (grain > 0)
			piece(p, grain, day, sign);
		else
			piece(p, -grain, day + grain, -sign);
		day += grain;
	}
	arena_release(&work);
}

void fleet_pieces_init(struct fleet_pieces *p, struct fleet_days d,
	int32_t today)
{
	/* So that what is open ends with a long one. */
	int32_t end =
		rollup_first(ROLLUP_GRAIN_MAX, today) + 2 * ROLLUP_GRAIN_MAX;
	sql_array_init(&p->grains, SQL_INT8);
	sql_array_init(&p->firsts, SQL_INT8);
	sql_array_init(&p->signs, SQL_INT8);
	if (d.since == INT32_MIN) {
		piece(p, 0, 0, 1);
		stretch(p, d.until > 0 ? d.until : 0, end, -1);
	} else {
		/* Nothing was stored before 1970. */
		stretch(p, d.since > 0 ? d.since : 0,
			d.until < end ? d.until : end, 1);
	}
}

void fleet_pieces_release(struct fleet_pieces *p)
{
	sql_array_release(&p->grains);
	sql_array_release(&p->firsts);
	sql_array_release(&p->signs);
}

void fleet_params(struct sql_params *q, struct fleet_pieces *p,
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
