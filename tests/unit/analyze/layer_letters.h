/* layer_letters.h - writes sequences of launches as text, one letter per
 * kernel, and prints the layers found. Lower-case letters are on a second
 * stream. */
#pragma once
#include "layering.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LETTERS = 26, LETTER_NS = 100, LETTER_GAP_NS = 10 };

struct letters {
	struct arena arena;
	struct profile profile;
	struct profile_kernel kernels[LETTERS];
	struct layer_seq s;
	struct layer_cut cut;
	struct layering l;
	uint32_t items_cap, instances_cap;
	int64_t at_ns;
};

static inline int letters_start(void **state)
{
	static struct letters w;
	static const char names[LETTERS][2] = { "A", "B", "C", "D", "E", "F",
		"G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S",
		"T", "U", "V", "W", "X", "Y", "Z" };

	w = (struct letters){ 0 };
	for (int i = 0; i < LETTERS; i++)
		w.kernels[i].name = w.kernels[i].short_name = names[i];
	w.profile = (struct profile){ .kernels = w.kernels,
		.kernels_n = LETTERS,
		.arena = &w.arena };
	w.s = (struct layer_seq){ .profile = &w.profile,
		.lanes = 2,
		.symbols = LETTERS,
		.arena = &w.arena };
	*state = &w;
	return 0;
}

static inline int letters_stop(void **state)
{
	struct letters *w = *state;
	arena_release(&w->arena);
	return 0;
}

static inline void letters_item(struct letters *w, uint32_t symbol,
	uint32_t lane, int64_t start_ns, int64_t dur_ns, uint32_t pass)
{
	if (w->s.n == w->items_cap) {
		w->items_cap = w->items_cap * 2 + 64;
		w->s.items = arena_grow(&w->arena, w->s.items,
			w->items_cap * sizeof *w->s.items);
		w->cut.instance = arena_grow(&w->arena, w->cut.instance,
			w->items_cap * sizeof *w->cut.instance);
	}
	w->cut.instance[w->s.n] = LAYER_NONE;
	w->s.items[w->s.n++] = (struct layer_item){ .start_ns = start_ns,
		.dur_ns = dur_ns,
		.symbol = symbol,
		.lane = lane,
		.pass = pass,
		.kind = LAYER_KERNEL };
}

/* The kernels follow each other. A digit after a letter multiplies its
 * duration. */
static inline void letters_add(struct letters *w, const char *text,
	uint32_t pass)
{
	for (; *text; text++) {
		int64_t dur_ns = LETTER_NS;
		uint32_t symbol = (uint32_t)(toupper(*text) - 'A');
		uint32_t lane = islower(*text) ? 1 : 0;
		if (isdigit(text[1]))
			dur_ns *= *++text - '0';
		letters_item(w, symbol, lane, w->at_ns, dur_ns, pass);
		w->at_ns += dur_ns + LETTER_GAP_NS;
	}
}

/* The same, as the next instance of a section. */
static inline void letters_instance(struct letters *w, uint32_t section,
	const char *text)
{
	uint32_t from = w->s.n;

	letters_add(w, text, 0);
	if (w->cut.instances_n == w->instances_cap) {
		w->instances_cap = w->instances_cap * 2 + 64;
		w->cut.instances = arena_grow(&w->arena, w->cut.instances,
			w->instances_cap * sizeof *w->cut.instances);
	}
	for (uint32_t i = from; i < w->s.n; i++)
		w->cut.instance[i] = w->cut.instances_n;
	w->cut.instances[w->cut.instances_n++] =
		(struct layer_instance){ .section = section };
}

static inline char letters_of(const struct layer_place *p)
{
	char upper = (char)('A' + p->symbol);
	return p->lane ? (char)tolower(upper) : upper;
}

/* The places of a section as "A3 B2 c1": the number is how many instances
 * have the place. */
static inline const char *letters_places(struct letters *w, uint32_t section)
{
	const struct layer_section *s = &w->l.sections[section];
	const char *text = "";

	for (uint32_t i = 0; i < s->places_n; i++) {
		const struct layer_place *p = &w->l.places[s->places_from + i];
		assert_int_equal(p->section, section);
		text = arena_printf(&w->arena, "%s%s%c%u", text,
			*text ? " " : "", letters_of(p), p->instances);
	}
	return text;
}

static inline void letters_item_sound(const struct letters *w, uint32_t i)
{
	const struct layering *l = &w->l;

	assert_true(l->instance[i] < l->instances_n);
	assert_true(l->place[i] < l->places_n);
	const struct layer_place *p = &l->places[l->place[i]];
	const struct layer_section *s = &l->sections[p->section];
	assert_int_equal(p->section, l->instances[l->instance[i]].section);
	assert_int_equal(p->symbol, w->s.items[i].symbol);
	assert_int_equal(p->lane, w->s.items[i].lane);
	assert_true(l->place[i] >= s->places_from &&
		    l->place[i] < s->places_from + s->places_n);
}

/* Every item of an instance must be at a place of its section with the same
 * symbol and lane. If items are `alone`, no two of an instance share a place,
 * and places that half of the instances have are in the order of their lane. */
static inline void letters_sound(const struct letters *w, bool alone)
{
	const struct layering *l = &w->l;
	uint32_t *last =
		calloc((size_t)(l->instances_n + 1) * w->s.lanes, sizeof *last);
	uint32_t *taken = calloc(l->places_n + 1, sizeof *taken);
	uint32_t *of = calloc(l->sections_n + 1, sizeof *of);

	for (uint32_t i = 0; i < l->instances_n; i++)
		of[l->instances[i].section]++;
	for (uint32_t i = 0; i < w->s.n; i++) {
		if (l->instance[i] == LAYER_NONE) {
			assert_int_equal(l->place[i], LAYER_NONE);
			continue;
		}
		letters_item_sound(w, i);
		uint32_t at = l->place[i], instance = l->instance[i];
		const struct layer_place *p = &l->places[at];
		if (alone)
			assert_true(taken[at] != instance + 1);
		taken[at] = instance + 1;
		if (p->instances * 2 < of[p->section])
			continue;
		uint32_t *before = &last[instance * w->s.lanes + p->lane];
		if (alone)
			assert_true(at + 1 > *before);
		*before = at + 1;
	}
	free(last);
	free(taken);
	free(of);
}

#define LETTERS_TEST(name) \
	cmocka_unit_test_setup_teardown(name, letters_start, letters_stop)
