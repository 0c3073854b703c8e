/* stored_units.c - puts stored units of one commit together. */
#include "stored_units.h"
#include <string.h>

static bool stored_units_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Numbers the commits of units by their first unit. Returns how many. */
static uint32_t stored_units_number(const struct gate_stored_unit *units,
	uint32_t n, uint32_t *number)
{
	uint32_t numbers = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = 0;
		while (k < i &&
			!stored_units_same(units[k].commit, units[i].commit))
			k++;
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
	uint32_t first = s->n ? s->commit[s->n - 1] + 1 : 0;

	if (!number)
		return false;
	uint32_t numbers = stored_units_number(units, n, number);
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
