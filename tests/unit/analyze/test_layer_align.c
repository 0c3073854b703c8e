/* test_layer_align.c - tests that layers are aligned although launches are
 * lost, inserted or have wrong names. */
#include "layer_letters.h"

static void aligned(struct letters *w, uint32_t sections, enum section_place is)
{
	struct layer_section list[4] = { { is, NULL, 0, 0 }, { is, NULL, 0, 0 },
		{ is, NULL, 0, 0 }, { is, NULL, 0, 0 } };

	w->cut.sections = list;
	w->cut.sections_n = sections;
	assert_true(layering_align(&w->s, &w->cut, &w->l));
}

static const struct {
	const char *odd, *instances[8], *places;
} cases[] = {
	{ "all equal", { "ABAC", "ABAC", "ABAC" }, "A3 B3 A3 C3" },
	{ "one instance", { "ABAC" }, "A1 B1 A1 C1" },
	{ "one of three equal names lost",
		{ "ABACAD", "ABACAD", "ABCAD", "ABACAD" },
		"A4 B4 A3 C4 A4 D4" },
	{ "the first lost", { "ABAC", "BAC", "ABAC" }, "A2 B3 A3 C3" },
	{ "the last lost", { "ABAC", "ABA", "ABAC" }, "A3 B3 A3 C2" },
	{ "one in between", { "ABAC", "ABXAC", "ABAC" }, "A3 B3 X1 A3 C3" },
	{ "of a name that comes elsewhere", { "ABAC", "ACBAC", "ABAC" },
		"A3 C1 B3 A3 C3" },
	{ "the same in between twice", { "ABAC", "ABXAC", "ABXAC", "ABAC" },
		"A4 B4 X2 A4 C4" },
	{ "another kernel in a place", { "ABCD", "AXCD", "ABCD", "ABCD" },
		"A4 B3 X1 C4 D4" },
	{ "the short one of two equal kernels lost, found by durations",
		{ "A9A1B", "A9A1B", "A9B", "A1B" }, "A3 A3 B4" },
	{ "a second lane earlier and later", { "AbBC", "ABbC", "ABbC" },
		"A3 B3 b3 C3" },
	{ "lanes do not mix, though names are the same",
		{ "AaBbC", "AaBC", "aABbC" }, "A3 a3 B3 b2 C3" },
	{ "none in common", { "ABC", "ABC", "XY" }, "A2 B2 C2 X1 Y1" },
};

static void each_case(void **state)
{
	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		void *of;
		letters_start(&of);
		struct letters *w = of;
		for (int i = 0; i < 8 && cases[c].instances[i]; i++)
			letters_instance(w, 0, cases[c].instances[i]);
		aligned(w, 1, SECTION_LAYER);
		const char *got = letters_places(w, 0);
		if (strcmp(got, cases[c].places) != 0)
			print_error("%s:\n", cases[c].odd);
		assert_string_equal(got, cases[c].places);
		letters_sound(w, true);
		letters_stop(&of);
	}
}

static void sections_are_apart(void **state)
{
	struct letters *w = *state;
	letters_instance(w, 1, "ABC");
	letters_instance(w, 0, "AX");
	letters_add(w, "Z", LAYER_NONE);
	letters_instance(w, 1, "ABC");
	aligned(w, 3, SECTION_LAYER);
	assert_string_equal(letters_places(w, 0), "A1 X1");
	assert_string_equal(letters_places(w, 1), "A2 B2 C2");
	assert_string_equal(letters_places(w, 2), "");
	assert_int_equal(w->l.instance[5], LAYER_NONE);
	letters_sound(w, true);
}

static void nothing_at_all(void **state)
{
	struct letters *w = *state;
	aligned(w, 1, SECTION_LAYER);
	assert_int_equal(w->l.places_n, 0);
}

/* If layers have more than a thousand launches on average, a place in the
 * layer is identified by name alone. */
static void long_layers_are_aligned_by_name(void **state)
{
	struct letters *w = *state;
	char text[LAYERING_LONG + 3];
	memset(text, 'B', sizeof text);
	text[0] = 'A';
	text[LAYERING_LONG] = 0;
	letters_instance(w, 0, text);
	aligned(w, 1, SECTION_LAYER);
	assert_int_equal(w->l.places_n, LAYERING_LONG);
	letters_sound(w, true);
	text[LAYERING_LONG] = 'C';
	text[LAYERING_LONG + 1] = 'd';
	text[LAYERING_LONG + 2] = 0;
	letters_instance(w, 0, text);
	aligned(w, 1, SECTION_LAYER);
	assert_string_equal(letters_places(w, 0), "A2 B2 C1 d1");
	letters_sound(w, false);
}

/* 6 of the 7 launches are at their most common place. */
static void confidence_is_the_share_in_common_places(void **state)
{
	struct letters *w = *state;
	letters_instance(w, 0, "AB");
	letters_instance(w, 0, "ABX");
	letters_instance(w, 0, "AB");
	aligned(w, 1, SECTION_LAYER);
	assert_true(layering_confidence(&w->l, &w->s) == 6.0 / 7);
	aligned(w, 1, SECTION_BEFORE);
	assert_true(layering_confidence(&w->l, &w->s) == 0);
}

/* Launches of one instance at one place count once: 2 names of 1001
 * launches. */
static void repeats_lower_the_confidence_of_long_layers(void **state)
{
	struct letters *w = *state;
	char text[LAYERING_LONG + 2];
	memset(text, 'B', sizeof text);
	text[0] = 'A';
	text[LAYERING_LONG + 1] = 0;
	letters_instance(w, 0, text);
	letters_instance(w, 0, text);
	aligned(w, 1, SECTION_LAYER);
	assert_int_equal(w->l.places_n, 2);
	assert_true(layering_confidence(&w->l, &w->s) == 2.0 / 1001);
}

static void flat(void **state)
{
	struct letters *w = *state;
	struct layer_pass passes[2] = { { 0 } };
	letters_add(w, "ABab", 0);
	letters_add(w, "Z", LAYER_NONE);
	letters_add(w, "BBA", 1);
	w->s.passes = passes;
	w->s.passes_n = 2;
	assert_true(layering_flat(&w->s, "so it is", &w->l));
	assert_int_equal(w->l.sections_n, 1);
	assert_int_equal(w->l.sections[0].place, SECTION_FLAT);
	assert_int_equal(w->l.detector, LAYERS_NONE);
	assert_string_equal(w->l.why, "so it is");
	assert_string_equal(letters_places(w, 0), "B2 A2 a1 b1");
	assert_true(layering_confidence(&w->l, &w->s) == 0);
	letters_sound(w, false);
}

static uint32_t drawn(uint64_t *r, uint32_t below)
{
	*r = *r * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*r >> 33) % below);
}

enum { PLACES = 30, LAYERS = 2000, NOBODY = 255 };

/* Layers of five names at thirty places, each with its own duration; 2 % of
 * launches are lost and 2 % are inserted. `truth` gives the place of each
 * item. */
static void noisy_layers(struct letters *w, uint8_t *truth, uint64_t *r)
{
	uint32_t symbols[PLACES];

	for (int i = 0; i < PLACES; i++)
		symbols[i] = drawn(r, 5);
	for (int l = 0; l < LAYERS; l++) {
		char text[4 * PLACES + 1] = "";
		uint32_t n = 0, item = w->s.n;
		for (uint32_t i = 0; i < PLACES; i++) {
			if (drawn(r, 100) < 2) {
				truth[item++] = NOBODY;
				text[n++] = (char)('A' + drawn(r, 5));
				text[n++] = (char)('1' + drawn(r, 9));
			}
			if (drawn(r, 100) < 2)
				continue;
			truth[item++] = (uint8_t)i;
			text[n++] = (char)('A' + symbols[i]);
			text[n++] = (char)('1' + i * 4 % 9);
		}
		letters_instance(w, 0, text);
	}
}

/* Each launch must be placed with others of its true place. */
static void noise(void **state)
{
	struct letters *w = *state;
	uint8_t *truth = calloc(LAYERS * PLACES * 2, 1);
	uint32_t *at = calloc(PLACES * LAYERING_LONG, sizeof *at);
	uint64_t r = 7;
	int64_t right = 0, all = 0;

	noisy_layers(w, truth, &r);
	aligned(w, 1, SECTION_LAYER);
	letters_sound(w, true);
	assert_true(w->l.places_n < LAYERING_LONG);
	for (uint32_t i = 0; i < w->s.n; i++)
		if (truth[i] != NOBODY)
			at[truth[i] * LAYERING_LONG + w->l.place[i]]++;
	for (int i = 0; i < PLACES; i++) {
		const uint32_t *of = at + i * LAYERING_LONG;
		uint32_t best = 0;
		for (uint32_t p = 0; p < w->l.places_n; p++) {
			all += of[p];
			best = of[p] > best ? of[p] : best;
		}
		right += best;
	}
	free(truth);
	free(at);
	assert_true(right * 1000 >= all * 990);
}

/* Random sequences of all lengths have nothing in common. The alignment ends,
 * and reports the memory it needed if that was too much. */
static void hostile(void **state)
{
	struct letters *w = *state;
	char text[900];
	uint64_t r = 3;

	for (int l = 0; l < 300; l++) {
		uint32_t n = drawn(&r, sizeof text - 1) + 1;
		for (uint32_t i = 0; i < n; i++)
			text[i] = (char)((drawn(&r, 4) ? 'A' : 'a') +
					 drawn(&r, LETTERS));
		text[n] = 0;
		letters_instance(w, 0, text);
	}
	aligned(w, 1, SECTION_LAYER);
	letters_sound(w, false);
}

static void no_room(void **state)
{
	struct letters *w = *state;
	struct layer_section one = { SECTION_LAYER, NULL, 0, 0 };
	bool done = false;

	for (int i = 0; i < 40; i++)
		letters_instance(w, 0, i % 3 ? "ABACBAaBcD" : "ABCBAaBBcD");
	w->cut.sections = &one;
	w->cut.sections_n = 1;
	for (size_t kib = 1; !done; kib += 3) {
		struct arena tight = { .ceiling = kib << 10 };
		w->s.arena = &tight;
		done = layering_align(&w->s, &w->cut, &w->l);
		assert_true(tight.taken <= tight.ceiling);
		assert_true(done || tight.full);
		assert_true(kib < 4096);
		if (done)
			letters_sound(w, true);
		arena_release(&tight);
	}
	w->s.arena = &w->arena;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_case),
		LETTERS_TEST(sections_are_apart),
		LETTERS_TEST(nothing_at_all),
		LETTERS_TEST(long_layers_are_aligned_by_name),
		LETTERS_TEST(confidence_is_the_share_in_common_places),
		LETTERS_TEST(repeats_lower_the_confidence_of_long_layers),
		LETTERS_TEST(flat),
		LETTERS_TEST(noise),
		LETTERS_TEST(hostile),
		LETTERS_TEST(no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
