/* view_job_steps.c - the ranks of a job over time as JSON. */
#include "rank_steps.h"
#include "view.h"
#include <math.h>

/* Means are rounded to a tenth of a nanosecond, as other times are. */
static json_t *view_job_step_reals(const double *v, uint32_t n,
	const char *excluded)
{
	json_t *list = json_array();
	for (uint32_t i = 0; !excluded && i < n; i++)
		view_append(list, view_real(round(v[i] * 10) / 10));
	return list;
}

static json_t *view_job_step_longer(const struct rank_step_line *l, uint32_t n)
{
	json_t *list = json_array();
	for (uint32_t i = 0; !l->excluded && i < n; i++)
		if (l->longer[i])
			view_append(list, view_whole(i));
	return list;
}

#define ROWS "job_steps.def"
#include "row_functions.h"

json_t *view_job_steps(int64_t job, const struct ranks *r,
	const struct rank_steps *s)
{
	json_t *steps = json_array(), *ranks = json_array();
	for (uint32_t b = 0; b < s->bins; b++)
		view_append(steps, row_job_step(s, b));
	for (uint32_t i = 0; i < r->ranks_n; i++)
		view_append(ranks,
			row_job_step_rank(&r->ranks[i], &s->ranks[i], s->bins));
	return row_job_steps(job, s, steps, ranks);
}
