/* compare_kernels.c - finds the kernels of two runs that are the same although
 * their names differ, without comparing their times. */
#include "compare_state.h"
#include <assert.h>

/* The run with the patterns of one device. The arrays of the patterns are those
 * of the run. */
static struct compared_run compare_kernels_of_device(const struct compared_run
							     *run,
	int32_t device, struct arena *a)
{
	struct compared_run only = *run;
	only.patterns.rows =
		arena_array(a, struct pattern, run->patterns.n + 1);
	only.patterns.n = 0;
	for (uint32_t i = 0; i < run->patterns.n; i++)
		if (run->patterns.rows[i].number == device)
			only.patterns.rows[only.patterns.n++] =
				run->patterns.rows[i];
	only.patterns.metrics_n = 0; /* they refer to rows by their index */
	return only;
}

void compare_kernels(const struct compared_run *base, int32_t base_device,
	const struct compared_run *head, int32_t head_device, struct arena *a,
	struct kernel_identity **out, uint32_t *n)
{
	const struct compare_options o = COMPARE_OPTIONS;
	struct comparison unused = { 0 };
	struct compare c = { .o = &o, .a = a, .out = &unused };
	uint32_t **const all[2] = { NULL, NULL };
	struct compared_run *sides = arena_array(a, struct compared_run, 2);

	assert(a->ceiling == 0);
	sides[BASE] = compare_kernels_of_device(base, base_device, a);
	sides[HEAD] = compare_kernels_of_device(head, head_device, a);
	for (int s = 0; s < 2; s++)
		compare_match_units(&sides[s], 1, a, &c.side[s]);
	compare_match_iterations(&c, all);
	compare_identity_from(&c);
	*n = c.identities_n;
	*out = arena_array(a, struct kernel_identity, *n + 1);
	for (uint32_t i = 0; i < *n; i++) {
		const struct compare_identity *is = &c.identities[i];
		(*out)[i] = (struct kernel_identity){ .kind = is->kind,
			.reason = is->reason };
		for (int s = 0; s < 2; s++) {
			(*out)[i].names[s] = is->names[s];
			(*out)[i].names_n[s] = is->names_n[s];
		}
	}
}
