/* test_layer_realign.c - tests names that drift against their launches: they
 * are realigned, or reported if they cannot be recovered. */
#include "layer_realign.h"
#include "profile.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { LAYERS = 20, PHASES = 8, BEFORE = 3, MOST = 1000 };
enum { ENTRY = PHASES, FIRST_NORM, LAST, NAMES };

static const int64_t durs_us[PHASES] = { 4, 22, 6, 3, 43, 10, 90, 15 };
static const int64_t before_us[BEFORE] = { 30, 1, 55 };

struct drift {
	struct layer_item items[MOST];
	struct profile_kernel kernels[NAMES];
	uint32_t is[MOST]; /* the true name of each launch */
	struct profile profile;
	struct layer_seq s;
	struct arena arena;
	struct catalog *catalog;
	uint32_t changed;
};

static void launch(struct drift *d, uint32_t name, uint32_t is, int64_t us)
{
	int64_t start = d->s.n ? d->items[d->s.n - 1].start_ns + 200000 : 0;
	d->is[d->s.n] = is;
	d->items[d->s.n++] = (struct layer_item){ .start_ns = start,
		.dur_ns = us * 1000,
		.symbol = name,
		.kind = LAYER_KERNEL };
}

/* Adds layers one after another, after `before` launches. The names of layer l
 * are `lag(l)` launches behind. */
static void layers(struct drift *d, uint32_t before, uint32_t (*lag)(uint32_t))
{
	for (uint32_t i = 0; i < before; i++)
		launch(d, ENTRY, ENTRY, before_us[i]);
	for (uint32_t l = 0; l < LAYERS; l++)
		for (uint32_t i = 0; i < PHASES; i++) {
			uint32_t at = l * PHASES + i, by = lag(l);
			uint32_t name =
				at < by ? (uint32_t)ENTRY : (at - by) % PHASES;
			launch(d, name, i, durs_us[i]);
		}
	launch(d, LAST, LAST, 300);
}

static void realign(struct drift *d)
{
	assert_true(layer_realign(&d->s, &d->changed));
}

static void all_are_what_they_were(const struct drift *d)
{
	for (uint32_t i = 0; i < d->s.n; i++)
		assert_int_equal(d->items[i].symbol, d->is[i]);
}

static int start(void **state)
{
	static struct drift d;
	static const char *const operators[NAMES] = { "rms_norm", "gemm",
		"rope", NULL, "paged_attention_decode", NULL, "gemm", NULL,
		"embedding", "fused_add_rms_norm", "gemm" };
	struct err e = { 0 };
	d = (struct drift){ .catalog = catalog_new(NULL, &e) };
	for (uint32_t k = 0; k < NAMES; k++)
		d.kernels[k] = (struct profile_kernel){ .name = "kernel",
			.op = operators[k] };
	d.profile.kernels = d.kernels;
	d.profile.kernels_n = NAMES;
	d.s = (struct layer_seq){ .profile = &d.profile,
		.catalog = d.catalog,
		.items = d.items,
		.lanes = 1,
		.symbols = NAMES,
		.arena = &d.arena };
	*state = &d;
	return d.catalog ? 0 : -1;
}

static int stop(void **state)
{
	struct drift *d = *state;
	catalog_free(d->catalog);
	arena_release(&d->arena);
	return 0;
}

static uint32_t none(uint32_t layer)
{
	(void)layer;
	return 0;
}

static uint32_t drifting(uint32_t layer)
{
	return layer * 3 % PHASES;
}

static uint32_t from_the_fifth(uint32_t layer)
{
	return layer < 5 ? 0 : (layer - 4) * 3 % PHASES;
}

static uint32_t one_from_the_first(uint32_t layer)
{
	return 1 + layer / 4 * 3 % PHASES;
}

static uint32_t in_steps(uint32_t layer)
{
	static const uint32_t by[] = { 0, 3, 7, 6, 2, 5, 1 };
	return by[layer / 3 % 7];
}

static void names_that_drift_from_the_second_layer_are_repaired(void **state)
{
	struct drift *d = *state;
	uint32_t wrong = 0;
	layers(d, BEFORE, in_steps);
	for (uint32_t i = 0; i < d->s.n; i++)
		wrong += d->items[i].symbol != d->is[i];
	realign(d);
	all_are_what_they_were(d);
	assert_int_equal(d->changed, wrong);
	assert_true(wrong > 60);
}

static void layers_before_the_drift_stay(void **state)
{
	struct drift *d = *state;
	layers(d, BEFORE, from_the_fifth);
	realign(d);
	all_are_what_they_were(d);
	/* The lags are 3, 6, 1, 4, 7, 2, 5, 0 and so on over 15 layers: two of
	 * them are right by chance. No name occurs at two phases. */
	assert_int_equal(d->changed, (15 - 1) * PHASES);
}

static void repaired_launches_have_their_own_operator(void **state)
{
	struct drift *d = *state;
	layers(d, BEFORE, in_steps);
	realign(d);
	for (uint32_t i = BEFORE + 3 * PHASES; i < d->s.n - 1; i++) {
		const struct attributed *is = d->items[i].is;
		if (!is)
			continue;
		if (d->is[i] == 4)
			assert_string_equal(is->op->name,
				"paged_attention_decode");
		if (d->is[i] == 3)
			assert_null(is->op);
		assert_int_equal(is->known, is->op ? KNOWN_RULE : KNOWN_NOT);
		assert_null(is->sizes);
	}
}

static void the_first_layer_may_have_a_norm_of_its_own(void **state)
{
	struct drift *d = *state;
	layers(d, BEFORE, in_steps);
	d->items[BEFORE].symbol = d->is[BEFORE] = FIRST_NORM;
	realign(d);
	assert_true(d->changed > 0);
	all_are_what_they_were(d);
}

/* In the layer that lost a launch, the repeating part is too short to be
 * certain. */
static void a_launch_that_was_lost_moves_the_phase(void **state)
{
	struct drift *d = *state;
	uint32_t lost = BEFORE + 11 * PHASES + 2;
	layers(d, BEFORE, in_steps);
	for (uint32_t i = lost; i + 1 < d->s.n; i++) {
		d->items[i].dur_ns = d->items[i + 1].dur_ns;
		d->is[i] = d->is[i + 1];
	}
	d->s.n--;
	d->items[d->s.n - 1].symbol = LAST;
	realign(d);
	for (uint32_t i = 0; i < d->s.n; i++)
		if (i < lost - 2 || i >= lost + PHASES - 3)
			assert_int_equal(d->items[i].symbol, d->is[i]);
}

/* Passes repeat as their layers do. The launches between two passes are others
 * and may have any names. */
static void passes_are_repaired_layer_by_layer(void **state)
{
	struct drift *d = *state;
	uint32_t pass = BEFORE + LAYERS * PHASES + 1;
	for (uint32_t k = 0; k < 5; k++)
		layers(d, BEFORE, k % 2 ? drifting : in_steps);
	for (uint32_t i = 0; i < d->s.n; i++)
		if (i % pass < BEFORE || i % pass == pass - 1)
			d->is[i] = d->items[i].symbol = i % 7;
	for (uint32_t i = 0; i < BEFORE; i++)
		d->is[i] = d->items[i].symbol = ENTRY;
	realign(d);
	all_are_what_they_were(d);
	assert_true(d->changed > 400);
}

static void correct_names_stay(void **state)
{
	struct drift *d = *state;
	layers(d, BEFORE, none);
	realign(d);
	assert_int_equal(d->changed, 0);
	all_are_what_they_were(d);
}

/* The names of launches before the layers extend into the layers, so the
 * names lag there, too. */
static void a_lag_from_the_start_is_not_repaired(void **state)
{
	struct drift *d = *state;
	layers(d, BEFORE, one_from_the_first);
	realign(d);
	assert_int_equal(d->changed, 0);
}

static void without_a_launch_before_the_layers_nothing_changes(void **state)
{
	struct drift *d = *state;
	layers(d, 0, in_steps);
	realign(d);
	assert_int_equal(d->changed, 0);
}

/* The names are in random order, so no lag can be subtracted. */
static void names_in_random_order_are_not_repaired(void **state)
{
	struct drift *d = *state;
	layers(d, BEFORE, in_steps);
	for (uint32_t i = BEFORE + 2 * PHASES; i + 1 < d->s.n; i++)
		d->items[i].symbol = (uint32_t)((i * 2654435761u) >> 16) % 8;
	realign(d);
	assert_int_equal(d->changed, 0);
}

static void launches_on_another_stream_stay(void **state)
{
	struct drift *d = *state;
	layers(d, BEFORE, drifting);
	uint32_t n = d->s.n;
	d->s.lanes = 2;
	for (uint32_t i = 0; i < 100; i++) {
		launch(d, i % 2 ? LAST : ENTRY, i % 2 ? LAST : ENTRY, 7);
		d->items[d->s.n - 1].lane = 1;
	}
	realign(d);
	for (uint32_t i = n; i < d->s.n; i++)
		assert_int_equal(d->items[i].symbol, d->is[i]);
}

static void nothing_is_nothing(void **state)
{
	struct drift *d = *state;
	realign(d);
	assert_int_equal(d->changed, 0);
}

#define DRIFT_TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DRIFT_TEST(names_that_drift_from_the_second_layer_are_repaired),
		DRIFT_TEST(layers_before_the_drift_stay),
		DRIFT_TEST(repaired_launches_have_their_own_operator),
		DRIFT_TEST(the_first_layer_may_have_a_norm_of_its_own),
		DRIFT_TEST(a_launch_that_was_lost_moves_the_phase),
		DRIFT_TEST(passes_are_repaired_layer_by_layer),
		DRIFT_TEST(correct_names_stay),
		DRIFT_TEST(a_lag_from_the_start_is_not_repaired),
		DRIFT_TEST(without_a_launch_before_the_layers_nothing_changes),
		DRIFT_TEST(names_in_random_order_are_not_repaired),
		DRIFT_TEST(launches_on_another_stream_stay),
		DRIFT_TEST(nothing_is_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
