/* pattern_metrics.c - one block of values, one of their bases. */
#include "pattern_metrics.h"
#include <math.h>
#include <string.h>

uint32_t pattern_metrics_most(const struct profile *p)
{
	uint32_t n = p->patterns.cycles_n;
	return PATTERNS_VALUES_MAX / (n ? n : 1);
}

bool pattern_metrics_room(struct profile *p, uint32_t n, uint32_t cut,
	const char *name)
{
	struct patterns *to = &p->patterns;
	struct arena *a = p->arena;
	size_t of = to->cycles_n, values = n * of;
	double *v = arena_grow(a, NULL, (values * 2 + 1) * sizeof *v);
	uint8_t *basis = arena_grow(a, NULL, values + 1);

	to->metrics = arena_array(a, struct pattern_metric, (size_t)n + 1);
	if (!v || !basis || !to->metrics)
		return false;
	for (size_t i = 0; i < values * 2; i++)
		v[i] = NAN;
	memset(basis, METRIC_NO_ROW, values);
	for (uint32_t i = 0; i < n; i++)
		to->metrics[i] = (struct pattern_metric){
			.mu = v + i * of * 2,
			.sigma = v + i * of * 2 + of,
			.interpolated = basis + i * of,
		};
	to->metrics_n = n;
	if (cut)
		note_add(&p->notes, NOTE_metrics_cut, cut, name, strlen(name));
	return true;
}
