/* keys.c - interns what rows are told apart by. */
#include "keys.h"
#include <string.h>

static bool begin(struct arena *a, struct names *seen, uint32_t rows,
	uint32_t **of)
{
	*of = arena_grow(a, NULL, ((size_t)rows + 1) * sizeof **of);
	return *of && names_init(seen, a);
}

bool keys_of_devices(struct arena *a, const int32_t *device, uint32_t rows,
	struct group_key *key)
{
	struct names seen;
	uint32_t *of, id = 0;

	bool ok = begin(a, &seen, rows, &of);
	for (uint32_t i = 0; ok && i < rows; i++) {
		/* Rows in a row are often alike. */
		if (i == 0 || device[i] != device[i - 1])
			id = names_put(&seen, (const char *)&device[i],
				sizeof device[i]);
		ok = id != NAMES_NONE;
		of[i] = id - 1;
	}
	*key = (struct group_key){ of, ok ? seen.n - 1 : 0 };
	return ok;
}

bool keys_of_grids(struct arena *a, const struct trace *t,
	const uint32_t *launch, uint32_t rows, struct group_key *key)
{
	struct names seen;
	uint32_t *of, shapes = t->launch_shapes.n;
	uint32_t *of_shape =
		arena_grow(a, NULL, ((size_t)shapes + 1) * sizeof *of_shape);

	bool ok = begin(a, &seen, rows, &of) && of_shape;
	for (uint32_t s = 0; ok && s < shapes; s++) {
		const struct launch_shape *shape = trace_launch_shape_at(t, s);
		_Static_assert(offsetof(struct launch_shape, block) ==
				       sizeof shape->grid,
			"grid and block lie together");
		of_shape[s] = names_put(&seen, (const char *)shape,
			sizeof shape->grid + sizeof shape->block);
		ok = of_shape[s] != NAMES_NONE;
	}
	for (uint32_t i = 0; ok && i < rows; i++)
		of[i] = of_shape[launch[i]] - 1;
	arena_drop(a, of_shape);
	*key = (struct group_key){ of, ok ? seen.n - 1 : 0 };
	return ok;
}
