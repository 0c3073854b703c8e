/* test_breakdown_compare_section.c - tests how sections and blocks of several
 * breakdowns are matched. */
#include "compare_sides.h"
#include <stdlib.h>

static void section(struct made_side *s, enum section_place place,
	const char *name, enum layer_block_kind first,
	enum layer_block_kind second)
{
	made_section(s, place, name);
	made_block(s, first);
	made_row(s, "a", 0, 1);
	if (second == first)
		return;
	made_block(s, second);
	made_row(s, "b", 0, 1);
}

/* "layer:0,1" for each, and the sections of one side only. */
static void sections_are(struct made *m, const char *want)
{
	static const char *const place[] = { "before", "layer", "between",
		"after", "flat" };
	const char *is = "";
	for (uint32_t i = 0; i < m->out.sections_n; i++) {
		const struct breakdown_compare_section *s = &m->out.sections[i];
		is = arena_printf(&m->arena, "%s%s%s:", is, i ? " " : "",
			place[s->place]);
		for (uint32_t k = 0; k < m->out.sides_n; k++)
			is = s->of[k] == UINT32_MAX
				     ? arena_printf(&m->arena, "%s-", is)
				     : arena_printf(&m->arena, "%s%u", is,
					       s->of[k]);
	}
	assert_string_equal(is, want);
}

static void places_find_each_other_in_any_number(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	section(a, SECTION_LAYER, "x", BLOCK_ATTENTION, BLOCK_MLP);
	section(a, SECTION_AFTER, NULL, BLOCK_HEAD, BLOCK_SAMPLING);
	section(b, SECTION_BEFORE, NULL, BLOCK_EMBEDDING, BLOCK_EMBEDDING);
	section(b, SECTION_LAYER, "y", BLOCK_ATTENTION, BLOCK_MLP);
	section(b, SECTION_AFTER, NULL, BLOCK_HEAD, BLOCK_HEAD);
	made_compare(m, 2);
	sections_are(m, "before:-0 layer:01 after:12");
	assert_null(m->out.sections[1].name);
	assert_true(isnan(m->out.sections[0].sum_ns[0]));
	assert_float_equal(m->out.sections[2].sum_ns[0], 2, 0);
	assert_float_equal(m->out.sections[2].sum_ns[1], 1, 0);
}

/* Dense layers are compared with dense layers, expert layers with expert
 * layers. */
static void layers_are_matched_by_their_blocks(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	section(a, SECTION_LAYER, NULL, BLOCK_ATTENTION, BLOCK_MLP);
	section(a, SECTION_LAYER, NULL, BLOCK_ATTENTION, BLOCK_MOE);
	section(b, SECTION_LAYER, NULL, BLOCK_ATTENTION, BLOCK_MOE);
	section(b, SECTION_LAYER, NULL, BLOCK_ATTENTION, BLOCK_MLP);
	made_compare(m, 2);
	sections_are(m, "layer:01 layer:10");
}

static void a_kind_that_one_side_lacks_is_kept(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	section(a, SECTION_LAYER, NULL, BLOCK_ATTENTION, BLOCK_MOE);
	section(b, SECTION_LAYER, NULL, BLOCK_MLP, BLOCK_MLP);
	section(b, SECTION_LAYER, NULL, BLOCK_ATTENTION, BLOCK_MOE);
	made_compare(m, 2);
	sections_are(m, "layer:-0 layer:01");
}

static void equal_names_precede_blocks(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	section(a, SECTION_LAYER, "Vision", BLOCK_ATTENTION, BLOCK_MLP);
	section(a, SECTION_LAYER, "Text", BLOCK_ATTENTION, BLOCK_MLP);
	section(b, SECTION_LAYER, "Text", BLOCK_ATTENTION, BLOCK_MLP);
	section(b, SECTION_LAYER, "Vision", BLOCK_ATTENTION, BLOCK_MLP);
	made_compare(m, 2);
	sections_are(m, "layer:01 layer:10");
	assert_string_equal(m->out.sections[0].name, "Vision");
}

static void without_layers_all_is_one_section(void **state)
{
	struct made *m = *state;
	for (uint32_t s = 0; s < 3; s++)
		section(&m->side[s], SECTION_FLAT, NULL, BLOCK_OTHER,
			BLOCK_OTHER);
	made_compare(m, 3);
	sections_are(m, "flat:000");
	MADE_IS(m, "a|a|a 1 1 1 kernel");
}

static void a_flat_run_against_layers_loses_nothing(void **state)
{
	struct made *m = *state;
	section(&m->side[0], SECTION_LAYER, NULL, BLOCK_ATTENTION, BLOCK_MLP);
	section(&m->side[1], SECTION_FLAT, NULL, BLOCK_OTHER, BLOCK_OTHER);
	made_compare(m, 2);
	sections_are(m, "layer:0- flat:-0");
	MADE_IS(m, "a| 1 - alone", "b| 1 - alone", "|a - 1 alone");
}

static void merged_blocks_keep_their_overlaps(void **state)
{
	struct made *m = *state;
	struct made_side *a = &m->side[0], *b = &m->side[1];
	section(a, SECTION_LAYER, NULL, BLOCK_ATTENTION, BLOCK_MOE);
	section(b, SECTION_LAYER, NULL, BLOCK_ATTENTION, BLOCK_GATE);
	made_block(b, BLOCK_MOE);
	made_row(b, "c", 0, 1);
	made_block(b, BLOCK_SHARED);
	b->blocks[3].parallel_to = 2;
	made_row(b, "d", 0, 1);
	made_compare(m, 2);
	assert_int_equal(m->out.blocks_n, 4);
	assert_int_equal(m->out.blocks[0].kind, BLOCK_ATTENTION);
	assert_int_equal(m->out.blocks[1].kind, BLOCK_GATE);
	assert_int_equal(m->out.blocks[2].kind, BLOCK_MOE);
	assert_int_equal(m->out.blocks[3].kind, BLOCK_SHARED);
	assert_int_equal(m->out.blocks[3].parallel_to, 2);
	assert_int_equal(m->out.blocks[2].parallel_to, UINT32_MAX);
	assert_true(isnan(m->out.blocks[1].sum_ns[0]));
}

static void nothing_against_nothing(void **state)
{
	struct made *m = *state;
	made_compare(m, 8);
	assert_int_equal(m->out.sections_n, 0);
	assert_int_equal(m->out.blocks_n, 0);
	assert_int_equal(m->out.lines_n, 0);
}

/* For any rows: each row is in one line of its own block, in order, and the
 * sums of lines equal those of rows. */
static void nothing_is_lost_at_random(void **state)
{
	struct made *m = *state;
	static const char *const names[] = { "p", "q", "r", "s" };
	uint32_t seed = 7;
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t sides = 2 + round % 7, seen = 0, rows = 0;
		memset(m->side, 0, sizeof m->side);
		for (uint32_t s = 0; s < sides; s++) {
			struct made_side *is = &m->side[s];
			made_section(is, SECTION_LAYER, NULL);
			for (uint32_t i = 0; i < 20; i++) {
				seed = seed * 1664525 + 1013904223;
				if (i % 7 == 0)
					made_block(is,
						(enum layer_block_kind)(i / 7));
				layer_roles roles =
					seed >> 28 < 9
						? UINT64_C(1) << (seed >> 8) %
									  8 |
							  UINT64_C(1)
								  << (seed >>
									     16) %
									     ROLES
						: 0;
				made_row(is, names[seed >> 26 & 3], roles,
					(int64_t)(seed >> 20 & 63))
					->module = seed >> 25 & 1 ? "m" : NULL;
			}
			rows += is->b.rows_n;
		}
		made_compare(m, sides);
		for (uint32_t l = 0; l < m->out.lines_n; l++)
			for (uint32_t s = 0; s < sides; s++) {
				const struct breakdown_compare_line *x =
					&m->out.lines[l];
				const struct breakdown_compare_cell *c =
					&x->cells[s];
				for (uint32_t i = 0; i < c->rows_n;
					i++, seen++) {
					const struct breakdown_row *r =
						&m->side[s].rows[c->rows[i]];
					assert_int_equal(
						m->side[s]
							.blocks[r->block]
							.kind,
						m->out.blocks[x->block].kind);
					assert_true(
						!i ||
						c->rows[i] > c->rows[i - 1]);
				}
			}
		assert_int_equal(seen, rows);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(places_find_each_other_in_any_number),
		MADE_TEST(layers_are_matched_by_their_blocks),
		MADE_TEST(a_kind_that_one_side_lacks_is_kept),
		MADE_TEST(equal_names_precede_blocks),
		MADE_TEST(without_layers_all_is_one_section),
		MADE_TEST(a_flat_run_against_layers_loses_nothing),
		MADE_TEST(merged_blocks_keep_their_overlaps),
		MADE_TEST(nothing_against_nothing),
		MADE_TEST(nothing_is_lost_at_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
