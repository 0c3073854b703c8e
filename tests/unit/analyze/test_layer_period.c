/* test_layer_period.c - finds layers by the repeating sequence of kernels. */
#include "layer_letters.h"
#include <math.h>

static void passes(struct letters *w, uint32_t n)
{
	w->s.passes = arena_array(&w->arena, struct layer_pass, n);
	w->s.passes_n = n;
}

static void times(struct letters *w, uint32_t n, const char *text,
	uint32_t pass)
{
	while (n--)
		letters_add(w, text, pass);
}

/* "before 3, layer 12 12, after 2": sections with the lengths of instances. */
static const char *sections_text(struct letters *w)
{
	static const char *const place[] = { "before", "layer", "between",
		"after", "flat" };
	const struct layering *l = &w->l;
	const char *text = "";

	for (uint32_t i = 0; i < l->instances_n; i++) {
		uint32_t n = 0, s = l->instances[i].section;
		bool more = i && l->instances[i - 1].section == s;
		for (uint32_t k = 0; k < w->s.n; k++)
			n += l->instance[k] == i;
		if (!more)
			text = arena_printf(&w->arena, "%s%s%s", text,
				*text ? ", " : "", place[l->sections[s].place]);
		text = arena_printf(&w->arena, "%s %u", text, n);
	}
	return text;
}

static void none(struct letters *w, const char *why)
{
	assert_true(layering_by_period(&w->s, &w->l));
	assert_int_equal(w->l.detector, LAYERS_NONE);
	assert_string_equal(w->l.why, why);
}

static void found(struct letters *w, const char *what)
{
	assert_true(layering_by_period(&w->s, &w->l));
	assert_int_equal(w->l.detector, LAYERS_PERIOD);
	assert_null(w->l.why);
	letters_sound(w, true);
	assert_string_equal(sections_text(w), what);
}

static const char *const repeats =
	"no sequence of kernels repeats within a pass, as layers would";

static void nothing_ran(void **state)
{
	passes(*state, 1);
	none(*state, "nothing ran in the passes that count");
}

static void nothing_repeats(void **state)
{
	passes(*state, 1);
	letters_add(*state, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", 0);
	none(*state, repeats);
}

static void one_layer_a_pass(void **state)
{
	passes(*state, 3);
	for (uint32_t i = 0; i < 3; i++)
		letters_add(*state, "ABCDEFGHIJ", i);
	none(*state, repeats);
}

static void one_kernel_a_million_times(void **state)
{
	passes(*state, 1);
	for (uint32_t i = 0; i < 1000; i++)
		times(*state, 1000, "A", 0);
	none(*state, "all launches of the main stream are of one kernel");
}

static void two_kernels_by_turns(void **state)
{
	passes(*state, 1);
	times(*state, 1000, "AB", 0);
	none(*state, repeats);
}

static void layers_of_different_length(void **state)
{
	passes(*state, 1);
	letters_add(*state,
		"ABCDE"
		"AFGHIJKLMNOPQ"
		"ARS"
		"ATUVWXYZBB"
		"AC"
		"AGFHEKJNMLQPO",
		0);
	none(*state, repeats);
}

static void before_and_after(void **state)
{
	passes(*state, 1);
	letters_add(*state, "XYZ", 0);
	times(*state, 4, "ABCDEFGH", 0);
	letters_add(*state, "UV", 0);
	found(*state, "before 3, layer 8 8 8 8, after 2");
}

/* The kernel that begins most layers differs in the first layer, is lost in
 * the third, and is inserted into the fourth. Launches on the second stream
 * follow their layer. */
static void not_quite_the_same(void **state)
{
	struct letters *w = *state;

	passes(w, 1);
	letters_add(w, "XYZ", 0);
	letters_add(w, "ABCDEFGHABCDEFGHABCDFGHABCDEFxGHABCDKEFGHABCDEFGH", 0);
	letters_add(w, "UV", 0);
	found(w, "before 3, layer 8 8 7 9 9 8, after 2");
}

static void several_passes(void **state)
{
	passes(*state, 2);
	for (uint32_t i = 0; i < 2; i++) {
		letters_add(*state, "X", i);
		times(*state, 3, "ABCDEFGH", i);
		letters_add(*state, "U", i);
	}
	found(*state, "before 1, layer 8 8 8, after 1, "
		      "before 1, layer 8 8 8, after 1");
}

static void three_of_one_kind_then_four(void **state)
{
	passes(*state, 1);
	letters_add(*state, "X", 0);
	times(*state, 3, "ABCDEFGH", 0);
	times(*state, 4, "ABCDIJKLMN", 0);
	letters_add(*state, "U", 0);
	found(*state, "before 1, layer 8 8 8, layer 10 10 10 10, after 1");
}

static void two_stacks(void **state)
{
	passes(*state, 1);
	letters_add(*state, "X", 0);
	times(*state, 6, "ABCDEFGH", 0);
	letters_add(*state, "XYZUVW", 0);
	times(*state, 6, "IJKLMNOPQR", 0);
	letters_add(*state, "ST", 0);
	found(*state, "before 1, layer 8 8 8 8 8 8, between 6, "
		      "layer 10 10 10 10 10 10, after 2");
}

/* The last layer of each of four steps has less than the others, and then the
 * step ends. What follows the last step is different. */
static void steps_whose_last_layer_is_shorter(void **state)
{
	static const char step[] = "layer 8 8 8 8 8 8 8 8 8 8 8 8, layer 5, ";
	struct letters *w = *state;
	const char *what = "before 1, ";

	passes(w, 1);
	letters_add(w, "Z", 0);
	for (int i = 0; i < 4; i++) {
		times(w, 12, "ABCDEFGH", 0);
		letters_add(w, "ABCDE", 0);
		letters_add(w, i < 3 ? "PQRSTUVWXYPQR" : "KLMNOKL", 0);
		what = arena_printf(&w->arena, "%s%s%s", what, step,
			i < 3 ? "between 13, " : "after 7");
	}
	found(w, what);
}

/* A similar layer after a gap is not one of them. */
static void one_layer_ahead(void **state)
{
	passes(*state, 1);
	letters_add(*state, "XY", 0);
	times(*state, 5, "ABCDEFGH", 0);
	letters_add(*state, "UVWXYZ", 0);
	letters_add(*state, "ABCDEFGH", 0);
	letters_add(*state, "U", 0);
	found(*state, "before 2, layer 8 8 8 8 8, after 15");
}

/* Four layers, two of which take longer: the median of 870, 870, 2470 and 2470
 * ns is 1670, their MAD 800. 1.4826 * 800 / 1670 / sqrt(4) = 0.3551, which is
 * above 0.25: the confidence is 0.25 / 0.3551. */
static void times_that_differ(void **state)
{
	struct letters *w = *state;

	passes(w, 1);
	times(w, 1, "XYZ", 0);
	times(w, 2, "ABCDEFGH", 0);
	times(w, 2, "A3B3C3D3E3F3G3H3", 0);
	times(w, 1, "UV", 0);
	assert_true(layering_by_period(&w->s, &w->l));
	assert_int_equal(w->l.detector, LAYERS_PERIOD);
	assert_true(fabs(w->l.confidence - 0.70400) < 1e-5);
}

/* 870, 870, 7270, 7270 ns: 1.4826 * 3200 / 4070 / 2 = 0.5828, and 0.25 / 0.5828
 * is below the least confidence, 0.5. */
static void times_that_differ_too_much(void **state)
{
	struct letters *w = *state;

	passes(w, 1);
	times(w, 1, "XYZ", 0);
	times(w, 2, "ABCDEFGH", 0);
	times(w, 2, "A9B9C9D9E9F9G9H9", 0);
	times(w, 1, "UV", 0);
	none(w, "what repeats takes too different times for layers of a kind");
}

/* Twelve layers, one of which waits: its time has no effect. */
static void one_layer_that_waits(void **state)
{
	struct letters *w = *state;

	passes(w, 1);
	times(w, 1, "XYZ", 0);
	times(w, 6, "ABCDEFGH", 0);
	times(w, 1, "ABCD9EFGH", 0);
	times(w, 5, "ABCDEFGH", 0);
	times(w, 1, "UV", 0);
	found(w, "before 3, layer 8 8 8 8 8 8 8 8 8 8 8 8, after 2");
	assert_true(w->l.confidence == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LETTERS_TEST(nothing_ran),
		LETTERS_TEST(nothing_repeats),
		LETTERS_TEST(one_layer_a_pass),
		LETTERS_TEST(one_kernel_a_million_times),
		LETTERS_TEST(two_kernels_by_turns),
		LETTERS_TEST(layers_of_different_length),
		LETTERS_TEST(before_and_after),
		LETTERS_TEST(not_quite_the_same),
		LETTERS_TEST(several_passes),
		LETTERS_TEST(three_of_one_kind_then_four),
		LETTERS_TEST(two_stacks),
		LETTERS_TEST(steps_whose_last_layer_is_shorter),
		LETTERS_TEST(one_layer_ahead),
		LETTERS_TEST(times_that_differ),
		LETTERS_TEST(times_that_differ_too_much),
		LETTERS_TEST(one_layer_that_waits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
