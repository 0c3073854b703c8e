/* test_names_lag.c - tests that names which drift against durations are
 * detected, and that sequences which only look like this are accepted. */
#include "world.h"
#include <stdio.h>

enum { LAYERS = 20, POSITIONS = 8 };
static const char *const names[POSITIONS] = { "norm", "qkv", "rope", "store",
	"attend", "reduce", "out", "act" };
static const int64_t durs_us[POSITIONS] = { 4, 22, 6, 3, 43, 10, 90, 15 };

/* Layer after layer; the names of layer l are `lag(l)` positions behind. */
static void layers(struct world *w, uint32_t (*lag)(uint32_t))
{
	int64_t at = 0;
	for (uint32_t l = 0; l < LAYERS; l++)
		for (uint32_t i = 0; i < POSITIONS; i++, at += 200000)
			rows_kernel(&w->t,
				names[(i + POSITIONS - lag(l)) % POSITIONS], at,
				durs_us[i] * 1000, 0, 1);
}

static uint32_t drifting(uint32_t layer)
{
	return layer * 3 % POSITIONS;
}

static uint32_t none(uint32_t layer)
{
	(void)layer;
	return 0;
}

static void names_that_drift_are_noticed(void **state)
{
	struct world *w = *state;
	struct arena a = { 0 };

	layers(w, drifting);
	assert_true(world_analyse(w));
	/* In all layers except the first, every name differs from that of the
	 * previous layer and every duration is the same. */
	assert_int_equal(w->p.notes.count[NOTE_names_lag],
		(LAYERS - 1) * POSITIONS);
	assert_string_equal(note_sentence(&a, NOTE_names_lag, 152,
				    w->p.notes.detail[NOTE_names_lag]),
		"152 kernels seem to have another's duration: names lag behind "
		"durations, so that times per name are not to be trusted; the "
		"first: reduce");
	arena_release(&a);
}

static void names_in_their_place_are_not(void **state)
{
	struct world *w = *state;

	layers(w, none);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.notes.count[NOTE_names_lag], 0);
}

/* Every other layer uses different kernels that take as long: each name keeps
 * its duration. */
static void layers_of_two_kinds_are_not(void **state)
{
	struct world *w = *state;
	int64_t at = 0;

	for (uint32_t l = 0; l < LAYERS; l++)
		for (uint32_t i = 0; i < POSITIONS; i++, at += 200000) {
			char name[32];
			snprintf(name, sizeof name, "%s_%u", names[i], l % 2);
			rows_kernel(&w->t, name, at, durs_us[i] * 1000, 0, 1);
		}
	assert_true(world_analyse(w));
	assert_int_equal(w->p.notes.count[NOTE_names_lag], 0);
}

/* All take about the same time, so different names prove nothing. */
static void kernels_that_all_take_the_same_are_not(void **state)
{
	struct world *w = *state;

	for (uint32_t i = 0; i < 160; i++)
		rows_kernel(&w->t, names[i * 5 % 7], (int64_t)i * 10000, 2000,
			0, 1);
	assert_true(world_analyse(w));
	assert_int_equal(w->p.notes.count[NOTE_names_lag], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(names_that_drift_are_noticed),
		WORLD_TEST(names_in_their_place_are_not),
		WORLD_TEST(layers_of_two_kinds_are_not),
		WORLD_TEST(kernels_that_all_take_the_same_are_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
