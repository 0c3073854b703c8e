/* stored_units.c - puts stored units of one commit together. */
#include "stored_units.h"
#include <string.h>

static bool stored_units_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

uint32_t stored_units_number(const char *const *commits, uint32_t n, bool one,
	uint32_t *number)
{
	uint32_t numbers = 0;
	bool labeled = false;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;
		while (k < i && !stored_units_same(commits[k], commits[i]))
			k++;
		/* The first label is also that of the values before it. */
		if (k == i && one && i && (!commits[i] || !labeled))
			k = i - 1;
		labeled = labeled || commits[i];
		number[i] = k < i ? number[k] : numbers++;
	}
	return numbers;
}

bool stored_units_init(struct stored_units *s, uint32_t most, struct arena *a)
{
	*s = (struct stored_units){ .units = arena_array(a,
					    const struct gate_stored_unit *,
					    most + 1),
		.ns = arena_array(a, double, most + 1),
		.commit = arena_array(a, uint32_t, most + 1) };
	return s->units && s->ns && s->commit;
}

bool stored_units_add(struct stored_units *s,
	const struct gate_stored_unit *units, uint32_t n, struct arena *a)
{
	uint32_t *number = arena_array(a, uint32_t, n + 1);
	const char **commits = arena_array(a, const char *, n + 1);
	uint32_t first = s->n ? s->commit[s->n - 1] + 1 : 0;

	if (!number || !commits)
		return false;
	for (uint32_t i = 0; i < n; i++)
		commits[i] = units[i].commit;
	uint32_t numbers = stored_units_number(commits, n, false, number);
	for (uint32_t c = 0; c < numbers; c++)
		for (uint32_t i = 0; i < n; i++) {
			if (number[i] != c)
				continue;
			s->labeled = s->labeled || units[i].commit;
			s->units[s->n] = &units[i];
			s->commit[s->n] = first + c;
			s->ns[s->n++] = units[i].ns;
		}
	return true;
}
