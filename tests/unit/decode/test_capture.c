/* test_capture.c - a trace written as a capture file and read back is
 * unchanged. */
#include "capture_fixture.h"

static void same_text(const struct trace *a, uint32_t x, const struct trace *b,
	uint32_t y)
{
	assert_string_equal(names_text(&a->names, x), names_text(&b->names, y));
}

static bool same_cell(const void *a, const void *b, size_t size)
{
	return !memcmp(a, b, size);
}

/* Cells must be equal; cells of texts and shapes must refer to equal values. */
#define IS_INT(field) assert_true(SAME(field));
#define IS_REAL(field) IS_INT(field)
#define IS_TEXT(field) same_text(a, x->field[i], b, y->field[k]);
#define IS_NAME(field) IS_TEXT(field)
#define IS_JSON(field) IS_TEXT(field)
#define IS_SHAPE(field)                                            \
	assert_memory_equal(trace_launch_shape_at(a, x->field[i]), \
		trace_launch_shape_at(b, y->field[k]),             \
		sizeof(struct launch_shape));
#define SAME(field) same_cell(&x->field[i], &y->field[k], sizeof *x->field)
#define COLUMN(type, field, absent, expected, what) IS_##type(field)
#define KIND(kind, COLUMNS, what)                                             \
	static void kind##_same(const struct trace *a, const struct trace *b, \
		uint32_t from, uint16_t process)                              \
	{                                                                     \
		const struct kind##_rows *x = &a->kind, *y = &b->kind;        \
		assert_int_equal(y->n, x->n - from);                          \
		for (uint32_t i = from, k = 0; i < x->n; i++, k++) {          \
			y->process[k] = (uint16_t)(y->process[k] + process);  \
			KST_##COLUMNS(COLUMN)                                 \
		}                                                             \
	}
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN

static void whole(void **state)
{
	struct arena arena = { 0 };
	struct trace t;
	struct decoded d;
	(void)state;
	fill(&t, &arena);
	for (size_t each = 1; each < 1 << 20; each = each * 7 + 1) {
		decode_capture(&d, &t, CAPTURE_ALL, each);
#define KIND(kind, COLUMNS, what)                   \
	assert_int_equal(d.trace.kind.n, t.kind.n); \
	kind##_same(&t, &d.trace, 0, 0);
		TRACE_KINDS(KIND)
		TRACE_TABLES(KIND)
#undef KIND
		assert_string_equal(d.trace.format, "nsys");
		assert_string_equal(d.trace.framework, "pytorch");
		assert_int_equal(d.trace.processes_n, 2);
		assert_int_equal(d.trace.processes[0].pid, 11);
		assert_int_equal(d.trace.processes[1].rank, -1);
		assert_int_equal(d.trace.devices_n, 2);
		assert_int_equal(d.trace.devices[0].memory_bytes, 1LL << 40);
		assert_string_equal(names_text(&d.trace.names,
					    d.trace.devices[0].uuid),
			"text 6");
		assert_string_equal(names_text(&d.trace.names,
					    d.trace.devices[0].bus_id),
			"text 7");
		assert_int_equal(d.trace.devices[1].uuid, 0);
		assert_true(d.trace.base_is_utc);
		assert_memory_equal(&d.trace.notes, &t.notes, sizeof t.notes);
		decoded_release(&d);
	}
	arena_release(&arena);
}

/* The second process alone: it has its own rows, devices and texts, as the
 * first process has. */
static void one_process(void **state)
{
	struct arena arena = { 0 };
	struct trace t;
	struct decoded d;
	(void)state;
	fill(&t, &arena);
	decode_capture(&d, &t, 1, SIZE_MAX);
#define KIND(kind, COLUMNS, what) kind##_same(&t, &d.trace, 3, 1);
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	assert_int_equal(d.trace.processes_n, 1);
	assert_string_equal(names_text(&d.trace.names,
				    d.trace.processes[0].name),
		"text 4");
	assert_int_equal(d.trace.devices_n, 2);
	assert_int_equal(d.trace.devices[1].process, 0);
	assert_int_equal(names_find(&d.trace.names, "text 63",
				 strlen("text 63")),
		NAMES_NONE);
	decoded_release(&d);
	arena_release(&arena);
}

/* A text that exceeds any chunk is omitted with a note. */
static void text_dropped(void **state)
{
	enum { LONG = (4 << 20) + 1 };
	struct arena arena = { 0 };
	struct trace t;
	struct decoded d;
	(void)state;
	fill(&t, &arena);
	char *text = arena_alloc(&arena, LONG, 1);
	memset(text, 'x', LONG);
	t.op.dims[0] = names_put(&t.names, text, LONG);
	decode_capture(&d, &t, CAPTURE_ALL, SIZE_MAX);
	assert_int_equal(d.trace.notes.count[NOTE_text_dropped], 1);
	assert_int_equal(d.trace.op.dims[0], 0);
	decoded_release(&d);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(one_process),
		cmocka_unit_test(text_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
