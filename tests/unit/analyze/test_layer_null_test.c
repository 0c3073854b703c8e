/* test_layer_null_test.c - rejects layers that chance would produce as well. */
#include "layer_null_test.h"
#include "layer_letters.h"
#include "xoshiro.h"

static const char *const repeats =
	"no sequence of kernels repeats within a pass, as layers would";
static const char *const even = "what repeats is of different length or "
				"content each time, so it is no layer";
static const char *const chance =
	"what repeats is not more than the same kernels would in any order";

static const char *const once =
	"most of what would be layers comes only once, so nothing repeats";
static const char *const kinds =
	"what repeats is of more than four kinds and nothing in it attends, so "
	"it is no stack of layers";

static void pass(struct letters *w)
{
	w->s.passes = arena_array(&w->arena, struct layer_pass, 1);
	w->s.passes_n = 1;
}

static void launch(struct letters *w, uint32_t symbol)
{
	letters_item(w, symbol, 0, w->at_ns, LETTER_NS, 0);
	w->at_ns += LETTER_NS + LETTER_GAP_NS;
}

static void find(struct letters *w)
{
	assert_true(layering_by_period(&w->s, &w->l));
	assert_true(layer_null_test(&w->s, &w->l));
}

static void by_chance(struct letters *w, uint64_t seed, uint32_t n,
	uint32_t names)
{
	struct xoshiro r;

	xoshiro_init(&r, seed);
	w->s.n = 0;
	for (uint32_t i = 0; i < n; i++)
		launch(w, xoshiro_below(&r, names));
}

/* Random names; some contain sequences that the detector takes for layers. */
static void any_order(void **state)
{
	static const uint32_t names[] = { 3, 4, 5, 8, 12, 26 };
	struct letters *w = *state;

	pass(w);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (uint64_t seed = 1; seed <= 3; seed++) {
			by_chance(w, seed, 1500, names[i]);
			find(w);
			assert_int_equal(w->l.detector, LAYERS_NONE);
			assert_true(strcmp(w->l.why, repeats) == 0 ||
				    strcmp(w->l.why, even) == 0 ||
				    strcmp(w->l.why, once) == 0 ||
				    strcmp(w->l.why, kinds) == 0 ||
				    strcmp(w->l.why, chance) == 0);
		}
}

/* The detector alone would report layers in these. */
static void taken_for_layers(void **state)
{
	struct letters *w = *state;
	uint32_t taken = 0;

	pass(w);
	for (uint64_t seed = 1; seed <= 5; seed++) {
		by_chance(w, seed, 3000, 3);
		assert_true(layering_by_period(&w->s, &w->l));
		if (w->l.detector == LAYERS_NONE)
			continue;
		taken++;
		find(w);
		assert_int_equal(w->l.detector, LAYERS_NONE);
		assert_string_equal(w->l.why, chance);
	}
	assert_true(taken > 0);
}

/* Of 32 layers one launch in fifty is lost and one has another name. */
static void noise(void **state)
{
	struct letters *w = *state;

	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct xoshiro r;
		xoshiro_init(&r, seed);
		pass(w);
		w->s.n = 0;
		letters_add(w, "XYZ", 0);
		for (uint32_t i = 0; i < 32; i++)
			for (uint32_t k = 0; k < 11; k++) {
				uint32_t is = xoshiro_below(&r, 50);
				if (is == 0)
					continue;
				launch(w, is == 1 ? 12 + xoshiro_below(&r, 9)
						  : k);
			}
		letters_add(w, "UV", 0);
		find(w);
		assert_int_equal(w->l.detector, LAYERS_PERIOD);
		assert_null(w->l.why);
		assert_true(w->l.confidence > 0.9);
	}
}

/* Two layers are little evidence, but they are still accepted. */
static void two_layers(void **state)
{
	struct letters *w = *state;

	pass(w);
	letters_add(w, "XABCDEFGHIJKABCDEFGHIJKYZ", 0);
	find(w);
	assert_int_equal(w->l.detector, LAYERS_PERIOD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LETTERS_TEST(any_order),
		LETTERS_TEST(taken_for_layers),
		LETTERS_TEST(noise),
		LETTERS_TEST(two_layers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
