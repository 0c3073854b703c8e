/* graph_scene.h - makes a process whose calls begin and end stream captures,
 * launch in them and replay graphs. The tests set the operators of captured
 * launches, which attribute_op() otherwise finds. */
#pragma once
#include "attribute_sources.h"
#include "graph_capture.h"
#include "attribute.h"
#include "correlation.h"
#include "kernels.h"
#include "world.h"
#include <stdio.h>

struct scene {
	struct world *w;
	struct attribution x;
	uint32_t *kernel_of, *call_of;
	int64_t now, correlation;
};

static inline void call(struct scene *s, const char *name, const char *thread)
{
	rows_call(&s->w->t, name, thread, s->now, 5, ++s->correlation);
	s->now += 10;
}

static inline void launch(struct scene *s, const char *kernel,
	const char *thread)
{
	struct trace *t = &s->w->t;

	trace_call_add(t,
		&(struct call_row){ .start_ns = s->now,
			.dur_ns = 5,
			.name = rows_name(t, "hipLaunchKernel"),
			.thread = rows_name(t, thread),
			.correlation = ++s->correlation,
			.kernel = kernel ? rows_name(t, kernel) : 0 });
	s->now += 10;
}

static inline void begin(struct scene *s, const char *thread)
{
	call(s, "hipStreamBeginCapture", thread);
}

static inline void end(struct scene *s, const char *thread)
{
	call(s, "hipStreamEndCapture", thread);
}

/* Kernels in sequence; blanks separate their names. */
static inline void capture(struct scene *s, const char *kernels)
{
	char text[100], *rest = text;

	snprintf(text, sizeof text, "%s", kernels);
	begin(s, "main");
	for (char *k; (k = strtok_r(rest, " ", &rest));)
		launch(s, k, "main");
	end(s, "main");
}

static inline void replay(struct scene *s, const char *kernels)
{
	char text[100], *rest = text;

	snprintf(text, sizeof text, "%s", kernels);
	call(s, "cudaGraphLaunch", "main");
	for (char *k; (k = strtok_r(rest, " ", &rest)); s->now += 10)
		rows_launched(&s->w->t, k, s->now, 8, s->correlation);
}

static inline void start(struct scene *s, void **state)
{
	*s = (struct scene){ .w = *state };
}

/* Finds the stream captures; the test sets their operators afterwards. */
static inline void captures(struct scene *s)
{
	struct world *w = s->w;

	rows_done(&w->t, &w->process);
	w->p = (struct profile){ .arena = &w->arena };
	assert_true(kernels_from(&w->t, w->process.kernel, w->families, &w->p,
		&s->kernel_of));
	assert_true(
		correlation_join(&w->t, &w->process, &w->arena, &s->call_of));
	s->x = (struct attribution){ .trace = &w->t,
		.proc = &w->process,
		.catalog = w->families,
		.profile = &w->p,
		.kernel_of = s->kernel_of,
		.call_of = s->call_of,
		.book = w->book,
		.arena = &w->arena };
	s->x.of = arena_array(&w->arena, struct attributed, w->t.kernel.n + 1);
	for (uint32_t i = 0; i < w->t.kernel.n; i++)
		s->x.of[i] = (struct attributed){ .known = KNOWN_NOT,
			.call = LAUNCH_NO_CALL };
	assert_true(graph_captures_find(&s->x));
}

/* Sets the operator and the shape of a captured launch. */
static inline void scene_attribute(struct scene *s, uint32_t i, const char *op,
	const char *shape, uint32_t call)
{
	struct shape *is = arena_new(&s->w->arena, struct shape);

	assert_true(i < s->x.captured_n);
	s->x.of_captured[i] = (struct attributed){
		.op = catalog_operator(s->w->families, op),
		.known = KNOWN_OP_SIZES,
		.call = call,
	};
	assert_non_null(s->x.of_captured[i].op);
	if (!shape)
		return;
	assert_true(shape_read(shape, DTYPE_BF16, &s->w->arena, is, &s->w->e));
	s->x.of_captured[i].sizes = is;
}

static inline void graphs(struct scene *s, uint32_t calls)
{
	s->x.calls = calls;
	assert_true(attribute_graph(&s->x));
}

/* Formats the operator and shape of a kernel row: "gemm m=8 n=4 k=2", "gemm",
 * or "-". */
static inline void is(struct scene *s, uint32_t i, const char *expected)
{
	const struct attributed *of = &s->x.of[i];
	char got[200] = "-";

	if (of->op) {
		assert_int_equal(of->known, KNOWN_GRAPH);
		snprintf(got, sizeof got, "%s%s%s", of->op->name,
			of->sizes ? " " : "",
			of->sizes ? shape_text(of->sizes, &s->w->arena) : "");
	} else {
		assert_int_equal(of->known, KNOWN_NOT);
	}
	assert_string_equal(got, expected);
}

static inline int64_t noted(const struct scene *s, enum note_code code)
{
	return s->w->p.notes.count[code];
}
