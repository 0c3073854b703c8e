/* module_scene.h - writes launches within modules and ranges as text, and prints
 * the layers found in them.
 *
 *   Layer_0{ Norm_0{A} B }   nn.Module ranges around launches of kernels A and B
 *   @layer 0{ A }            an annotation
 *   a                        kernel A on a second stream, which lags
 *   ?A                       a kernel whose call is not in the trace
 *   |                        the next pass */
#pragma once
#include "breakdown_word.h"
#include "callpath.h"
#include "layering.h"
#include "rows.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum {
	SCENE_LETTERS = 26,
	SCENE_ITEMS = 1024,
	SCENE_STEP_NS = 100,
	SCENE_LATE_NS = 450,
	SCENE_QUEUE_NS = 1000,
};

struct scene {
	struct arena arena;
	struct trace t;
	struct process process;
	struct catalog *catalog;
	struct profile profile;
	struct layer_item items[SCENE_ITEMS];
	struct callpath paths[SCENE_ITEMS];
	struct layer_pass passes[8];
	struct layer_seq s;
	struct layering l;
	int64_t at_ns;
};

/* An empty scene; the catalog is kept. */
static inline void scene_clear(struct scene *w)
{
	struct catalog *catalog = w->catalog;

	arena_release(&w->arena);
	*w = (struct scene){ .at_ns = 1000, .catalog = catalog };
	trace_init(&w->t, &w->arena);
	w->profile.kernels_n = SCENE_LETTERS;
	w->s = (struct layer_seq){ .trace = &w->t,
		.proc = &w->process,
		.profile = &w->profile,
		.catalog = catalog,
		.items = w->items,
		.lanes = 2,
		.symbols = SCENE_LETTERS,
		.passes = w->passes,
		.passes_n = 1,
		.arena = &w->arena };
}

static inline int scene_start(void **state)
{
	static struct scene w;
	struct err e = { 0 };

	w = (struct scene){ .catalog = catalog_new(NULL, &e) };
	scene_clear(&w);
	*state = &w;
	return w.catalog ? 0 : -1;
}

static inline int scene_stop(void **state)
{
	struct scene *w = *state;
	catalog_free(w->catalog);
	arena_release(&w->arena);
	return 0;
}

static inline void scene_launch(struct scene *w, char letter, bool called)
{
	uint32_t lane = islower(letter) ? 1 : 0;
	int64_t late_ns = SCENE_QUEUE_NS + (lane ? SCENE_LATE_NS : 0);

	assert_true(w->s.n < SCENE_ITEMS);
	w->items[w->s.n++] = (struct layer_item){
		.start_ns = w->at_ns + late_ns,
		.dur_ns = SCENE_STEP_NS - 10,
		.symbol = (uint32_t)(toupper(letter) - 'A'),
		.lane = lane,
		.pass = w->s.passes_n - 1,
		.host_ns = called ? w->at_ns : -1,
		.thread = called ? rows_name(&w->t, "1") : 0,
		.kind = LAYER_KERNEL,
	};
	w->at_ns += SCENE_STEP_NS;
}

/* Reads up to the closing brace or the end of the text. */
static inline const char *scene_read(struct scene *w, const char *text)
{
	while (*text && *text != '}') {
		size_t len = strcspn(text, "{}| ");
		bool annotation = *text == '@';
		if (annotation)
			len = text[1] == '{' ? strcspn(text, "}") + 1
					     : strcspn(text, "{");
		if (*text == ' ') {
			text++;
		} else if (*text == '|') {
			w->s.passes_n++;
			text++;
		} else if (text[len] == '{') {
			int64_t start_ns = w->at_ns++;
			const char *name = arena_printf(&w->arena, "%s%.*s",
				annotation ? "" : "nn.Module: ",
				(int)len - annotation, text + annotation);
			text = scene_read(w, text + len + 1);
			assert_int_equal(*text++, '}');
			rows_range(&w->t,
				annotation ? RANGE_ANNOTATION : RANGE_MODULE,
				name, "1", start_ns, w->at_ns++ - start_ns);
		} else {
			bool called = *text != '?';
			text += !called;
			scene_launch(w, *text++, called);
		}
	}
	return text;
}

static inline int scene_by_start(const void *left, const void *right)
{
	const struct layer_item *a = left, *b = right;
	return a->start_ns < b->start_ns ? -1 : a->start_ns > b->start_ns;
}

static inline int scene_by_host(const void *left, const void *right)
{
	const struct callpath *a = left, *b = right;
	return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

/* Adds the frames around each call. */
static inline void scene_frames(struct scene *w)
{
	struct frame_tree tree;
	uint32_t n = 0;

	assert_true(frame_tree_init(&tree, &w->t, &w->arena));
	for (uint32_t i = 0; i < w->s.n; i++)
		if (w->items[i].thread)
			w->paths[n++] =
				(struct callpath){ .at_ns = w->items[i].host_ns,
					.thread = w->items[i].thread,
					.op = CALLPATH_NO_OP };
	qsort(w->paths, n, sizeof *w->paths, scene_by_host);
	assert_true(callpath_find(&tree, &w->process, w->paths, n));
	assert_true(frame_tree_frames(&tree, &w->s.frames, &w->s.frames_n));
	for (uint32_t i = 0; i < w->s.n; i++)
		for (uint32_t k = 0; k < n; k++)
			if (w->items[i].thread &&
				w->paths[k].at_ns == w->items[i].host_ns)
				w->items[i].frame = w->paths[k].frame;
}

static inline void scene_made(struct scene *w, const char *text)
{
	assert_int_equal(*scene_read(w, text), '\0');
	w->process.pid = 7;
	w->t.processes = &w->process;
	w->t.processes_n = 1;
	assert_true(trace_sort(&w->t));
	qsort(w->items, w->s.n, sizeof *w->items, scene_by_start);
	scene_frames(w);
}

static inline const char *scene_place(struct scene *w,
	const struct layer_place *p)
{
	char letter = (char)('A' + p->symbol);
	const char *text = arena_printf(&w->arena, "%c",
		p->lane ? tolower(letter) : letter);

	if (p->module)
		text = arena_printf(&w->arena, "%s:%s", text, p->module);
	for (uint32_t r = 0; r < ROLES; r++)
		if (p->roles >> r & 1)
			text = arena_printf(&w->arena, "%s/%s", text,
				breakdown_word_role[r]);
	return text;
}

/* Prints one line per section: "layer 2 Layer: A:Norm[0]/input_norm B". */
static inline const char *scene_text(struct scene *w)
{
	const struct layering *l = &w->l;
	const char *text = "";

	for (uint32_t i = 0; i < l->sections_n; i++) {
		const struct layer_section *s = &l->sections[i];
		int n = 0;
		for (uint32_t k = 0; k < l->instances_n; k++)
			n += l->instances[k].section == i;
		text = arena_printf(&w->arena, "%s%s %d%s%s:", text,
			breakdown_word_place[s->place], n, s->name ? " " : "",
			s->name ? s->name : "");
		for (uint32_t k = 0; k < s->places_n; k++)
			text = arena_printf(&w->arena, "%s %s", text,
				scene_place(w, &l->places[s->places_from + k]));
		text = arena_printf(&w->arena, "%s\n", text);
	}
	return text;
}

/* Checks what is found in a scene. `due` is the expected text, or the reason
 * if nothing is found. */
static inline void scene_is(struct scene *w, const char *range,
	const char *scene, const char *due)
{
	scene_made(w, scene);
	assert_true(layering_by_ranges(&w->s, range, &w->l));
	if (w->l.detector == LAYERS_NONE)
		assert_string_equal(w->l.why, due);
	else
		assert_string_equal(scene_text(w), due);
	for (uint32_t i = 0; w->l.detector && i < w->s.n; i++) {
		assert_true(w->l.instance[i] < w->l.instances_n);
		assert_int_equal(w->l.instances[w->l.instance[i]].pass,
			w->items[i].pass);
	}
}

#define SCENE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, scene_start, scene_stop)
