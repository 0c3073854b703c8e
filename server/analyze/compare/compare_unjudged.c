/* compare_unjudged.c - what is told and not judged, whatever the figures say. */
#include "compare_state.h"
#include <math.h>

static void unjudge(struct change *x)
{
	x->is = CHANGE_UNDECIDED;
	x->evidence = EVIDENCE_NONE;
	x->p = x->p_family = x->q = NAN;
}

/* Where only launches can tell, they tell of what the device had to do. How long
 * the host takes, and with it the GPU's idling and the cycle, has no launches:
 * two cycles of it prove nothing, and the length of a recording less. */
static bool launches_tell(const struct compare *c, uint32_t i)
{
	if (i < c->rows_n)
		return !compare_on_host(c->rows[i].type);
	enum split_part part = c->split[i - c->rows_n].part;
	return part == SPLIT_PART_compute || part == SPLIT_PART_copies;
}

/* Whether every unit of both sides holds all ranks that there are. */
static bool ranks_whole(const struct compare *c)
{
	for (int s = 0; s < 2; s++)
		for (uint32_t u = 0; u < c->side[s].units_n; u++) {
			const struct compare_unit *unit = &c->side[s].units[u];
			for (uint32_t r = 0; r < unit->runs_n; r++)
				if (unit->runs[r]->world_size >
					(int64_t)unit->runs_n)
					return false;
		}
	return true;
}

/* A collective's time is mostly waiting for others, and theirs to explain, unless
 * the row is what the first of all ranks and devices takes. */
static bool waits(const struct compare *c, uint32_t i, bool whole)
{
	if (i < c->rows_n)
		return c->rows[i].type == FUNCTION_gpu_comm &&
		       (c->rows[i].place != COMPARE_PLACE_ALL || !whole);
	enum split_part part = c->split[i - c->rows_n].part;
	if (part == SPLIT_PART_waiting)
		return true;
	if (part != SPLIT_PART_communication)
		return false;
	for (uint32_t k = 0; k < c->rows_n; k++)
		if (c->rows[k].type == FUNCTION_gpu_comm)
			return true;
	return false;
}

/* A device or rank that the other side does not have at all. */
static bool alone(const struct compare *c, uint32_t i)
{
	return i < c->rows_n &&
	       (!c->rows[i].device[BASE] || !c->rows[i].device[HEAD]);
}

void compare_unjudged(const struct compare *c, struct change *changes)
{
	bool windows = compare_is_window(&c->side[BASE]) &&
		       compare_is_window(&c->side[HEAD]);
	bool whole = ranks_whole(c);

	for (uint32_t i = 0; i < c->rows_n + c->split_n; i++) {
		struct change *x = &changes[i];
		if (i >= c->rows_n && x->is == CHANGE_UNCHANGED &&
			fabs(x->ratio - 1) > c->o->margin)
			x->is = CHANGE_UNDECIDED;
		if (waits(c, i, whole) || alone(c, i) ||
			(!launches_tell(c, i) &&
				(windows || x->evidence == EVIDENCE_LAUNCHES)))
			unjudge(x);
	}
}
