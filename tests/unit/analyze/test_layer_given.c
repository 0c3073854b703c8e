/* test_layer_given.c - tests layers whose beginnings are given. */
#include "layer_letters.h"

static const char *const words[] = { "before", "layer", "between", "after",
	"flat" };

/* "before 1: A2 B1": one line per section, with its instances. */
static void are(struct letters *w, const char *start, uint32_t every,
	const char *due)
{
	const char *text = "";

	assert_true(layering_by_start(&w->s, start, every, &w->l));
	for (uint32_t i = 0; i < w->l.sections_n; i++) {
		int n = 0;
		for (uint32_t k = 0; k < w->l.instances_n; k++)
			n += w->l.instances[k].section == i;
		text = arena_printf(&w->arena, "%s%s %d: %s\n", text,
			words[w->l.sections[i].place], n, letters_places(w, i));
	}
	assert_string_equal(text, due);
	letters_sound(w, true);
}

static void passes(struct letters *w, uint32_t n)
{
	w->s.passes = arena_grow(&w->arena, NULL, n * sizeof *w->s.passes);
	w->s.passes_n = n;
}

static void launches_outside_of_layers(void **state)
{
	struct letters *w = *state;
	for (uint32_t p = 0; p < 2; p++)
		letters_add(w, "XYABCABCABCABCZ", p);
	passes(w, 2);
	are(w, "A", 0, "before 2: X2 Y2\nlayer 8: A8 B8 C8\nafter 2: Z2\n");
	assert_int_equal(w->l.detector, LAYERS_GIVEN);
	assert_string_equal(w->l.anchor, "A");
	assert_null(w->l.why);
	assert_true(w->l.confidence == 1);
	/* numbered in each pass */
	assert_int_equal(w->l.instances[4].number, 3);
	assert_int_equal(w->l.instances[7].number, 0);
	assert_int_equal(w->l.instances[7].pass, 1);
}

static void every_second(void **state)
{
	struct letters *w = *state;
	letters_add(w, "ABACABACABAC", 0);
	passes(w, 1);
	are(w, "A", 2, "layer 3: A3 B3 A3 C3\n");
}

static void two_kinds(void **state)
{
	struct letters *w = *state;
	letters_add(w, "ABCABCADEFGADEFGABCADEFGZ", 0);
	passes(w, 1);
	are(w, "A", 1,
		"layer 3: A3 B3 C3\nlayer 3: A3 D3 E3 F3 G3\nafter 1: Z1\n");
}

/* Some layers begin on the other stream; that stream is ignored. The kernel
 * comes 110 and 220 ns after the layer's start, B comes 220, 110 and 110 ns
 * after it. */
static void another_stream(void **state)
{
	struct letters *w = *state;
	letters_add(w, "AaBbABbABab", 0);
	passes(w, 1);
	are(w, "A", 1, "layer 3: A3 B3 a2 b3\n");
}

static void of_no_pass(void **state)
{
	struct letters *w = *state;
	letters_add(w, "ABAB", LAYER_NONE);
	letters_add(w, "ABABAB", 0);
	passes(w, 2);
	are(w, "A", 1, "layer 3: A3 B3\n");
	assert_int_equal(w->l.instance[0], LAYER_NONE);
}

static void a_single_layer_has_the_rest(void **state)
{
	struct letters *w = *state;
	letters_add(w, "XABCD", 0);
	passes(w, 1);
	are(w, "A", 1, "before 1: X1\nlayer 1: A1 B1 C1 D1\n");
}

/* The kernel of the final norm also begins the layers. The launches from it on
 * belong to no layer. */
static void a_head_that_begins_like_a_layer_is_after(void **state)
{
	struct letters *w = *state;
	for (uint32_t p = 0; p < 2; p++)
		letters_add(w, "XABCDABCDABCDAPQ", p);
	passes(w, 2);
	are(w, "A", 1,
		"before 2: X2\nlayer 6: A6 B6 C6 D6\nafter 2: A2 P2 Q2\n");
	assert_int_equal(w->l.instances[3].number, 2);
}

/* Every second beginning is given: the last layer is alone. */
static void a_head_of_one_launch_is_after(void **state)
{
	struct letters *w = *state;
	letters_add(w, "ABACABACABACA", 0);
	passes(w, 1);
	are(w, "A", 2, "layer 3: A3 B3 A3 C3\nafter 1: A1\n");
}

static void half_of_a_last_layer_is_a_layer(void **state)
{
	struct letters *w = *state;
	letters_add(w, "ABCDEABCDEABCDEABC", 0);
	passes(w, 1);
	are(w, "A", 1, "layer 4: A4 B4 C4 D3 E3\n");
}

static void less_than_half_a_layer_is_before(void **state)
{
	struct letters *w = *state;
	letters_add(w, "XAPABCDEABCDEABCDEABCDE", 0);
	passes(w, 1);
	are(w, "A", 1, "before 1: X1 A1 P1\nlayer 4: A4 B4 C4 D4 E4\n");
	assert_int_equal(w->l.instances[1].number, 0);
}

/* Dense layers come first in many models and take as long as the others. */
static void a_first_layer_of_another_kind_is_one(void **state)
{
	struct letters *w = *state;
	letters_add(w, "ABPQRABCDEABCDEABCDE", 0);
	passes(w, 1);
	are(w, "A", 1, "layer 3: A3 B3 C3 D3 E3\nlayer 1: A1 B1 P1 Q1 R1\n");
}

static void no_such_kernel(void **state)
{
	struct letters *w = *state;
	letters_add(w, "ABC", 0);
	letters_add(w, "Q", LAYER_NONE);
	passes(w, 1);
	assert_true(layering_by_start(&w->s, "Q", 1, &w->l));
	assert_int_equal(w->l.detector, LAYERS_NONE);
	assert_string_equal(w->l.why,
		"no kernel that counts has a name with 'Q' in it");
}

static void no_room(void **state)
{
	struct letters *w = *state;
	bool done = false;

	for (int i = 0; i < 40; i++)
		letters_add(w, "ABCDE", 0);
	passes(w, 1);
	for (size_t kib = 1; !done; kib += 3) {
		struct arena tight = { .ceiling = kib << 10 };
		w->s.arena = &tight;
		done = layering_by_start(&w->s, "A", 1, &w->l);
		assert_true(done || tight.full);
		assert_true(kib < 4096);
		arena_release(&tight);
	}
	w->s.arena = &w->arena;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LETTERS_TEST(launches_outside_of_layers),
		LETTERS_TEST(every_second),
		LETTERS_TEST(two_kinds),
		LETTERS_TEST(another_stream),
		LETTERS_TEST(of_no_pass),
		LETTERS_TEST(a_single_layer_has_the_rest),
		LETTERS_TEST(a_head_that_begins_like_a_layer_is_after),
		LETTERS_TEST(a_head_of_one_launch_is_after),
		LETTERS_TEST(half_of_a_last_layer_is_a_layer),
		LETTERS_TEST(less_than_half_a_layer_is_before),
		LETTERS_TEST(a_first_layer_of_another_kind_is_one),
		LETTERS_TEST(no_such_kernel),
		LETTERS_TEST(no_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
