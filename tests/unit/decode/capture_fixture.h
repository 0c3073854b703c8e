/* capture_fixture.h - a trace with rows of every kind, and the trace read
 * back from its capture file. */
#pragma once
#include "capture_write.h"
#include "fixture.h"
#include "kernsift/kst.h"
#include "buf.h"
#include <math.h>

enum { MOST = 16 << 20 };

static bool put(void *to, const void *bytes, size_t len, struct err *e)
{
	struct buf *b = to;
	(void)e;
	buf_add(b, bytes, len);
	return !b->full;
}

/* Makes rows of every kind, with different values in all columns, for each of
 * two processes. A new column is included automatically. The numbers are small
 * enough for all types. */
#define COLUMN(type, field, what) row.field = (type)(base + ++n);
#define ROWS(kind, COLUMNS)                                       \
	for (int p = 0; p < 2; p++)                               \
		for (int i = 0; i < 3; i++) {                     \
			struct kind##_row row;                    \
			int n = -2, base = 10 * i;                \
			COLUMNS(COLUMN)                           \
			row.process = (uint16_t)p;                \
			kind##_adjust(&row, i);                   \
			assert_true(trace_##kind##_add(t, &row)); \
		}
#define KIND(kind, COLUMNS, what)                                 \
	static void kind##_adjust(struct kind##_row *row, int i); \
	static void kind##_fill(struct trace *t)                  \
	{                                                         \
		ROWS(kind, COLUMNS)                               \
	}
TRACE_KINDS(KIND)
TRACE_TABLES(KIND)
#undef KIND
#undef COLUMN

/* Replaces values that a column cannot have: a shape beyond the last one, an
 * unknown kind of range. */
static void kernel_adjust(struct kernel_row *row, int i)
{
	row->launch = (uint32_t)i % 3;
	row->correlation = i ? INT64_MIN : INT64_MAX;
}
static void copy_adjust(struct copy_row *row, int i)
{
	row->bytes = i ? INT64_MAX : -1;
}
static void call_adjust(struct call_row *row, int i)
{
	row->launch = (uint32_t)(i + 1) % 3;
	row->kernel = i == 1 ? 0 : row->kernel;
}
static void op_adjust(struct op_row *row, int i)
{
	row->dims = i == 2 ? 0 : row->dims;
}
static void range_adjust(struct range_row *row, int i)
{
	row->kind = (uint8_t)(i + 2);
}
static void graph_adjust(struct graph_row *row, int i)
{
	row->graph_exec = -i;
}
static void counter_adjust(struct counter_row *row, int i)
{
	row->value = i ? 0.1 * i : NAN;
}
static void comm_adjust(struct comm_row *row, int i)
{
	row->sequence = i - 1;
	row->splits = i == 2 ? 0 : row->splits;
}
static void stat_adjust(struct stat_row *row, int i)
{
	row->launch = (uint32_t)i % 3;
	row->row = i;
	row->med_ns = i ? 0.3 : NAN;
}
static void pattern_adjust(struct pattern_row *row, int i)
{
	row->row = i;
	row->interpolated = (uint8_t)(i % 3);
}
static void fact_adjust(struct fact_row *row, int i)
{
	row->row = i;
}
static void node_adjust(struct node_row *row, int i)
{
	row->node = i + 1;
	row->domain = i ? row->domain : 0;
}

static void fill(struct trace *t, struct arena *a)
{
	char text[32];
	assert_true(trace_init(t, a));
	for (int i = 1; i < 64; i++) {
		snprintf(text, sizeof text, "text %d", i);
		assert_int_equal(names_put(&t->names, text, strlen(text)), i);
	}
	for (int i = 1; i < 3; i++)
		assert_int_equal(trace_launch_shape(t,
					 &(struct launch_shape){ { i, 1, 1 },
						 { 32, 1, 1 }, 9, 1 << i }),
			i);
#define KIND(kind, COLUMNS, what) kind##_fill(t);
	TRACE_KINDS(KIND)
	TRACE_TABLES(KIND)
#undef KIND
	t->processes = arena_array(a, struct process, 2);
	t->processes[0] = (struct process){ .pid = 11,
		.name = 1,
		.rank = 3,
		.world_size = 8,
		.host = 2 };
	t->processes[1] = (struct process){ .pid = -1,
		.name = 4,
		.rank = -1,
		.world_size = -1 };
	t->processes_n = 2;
	t->devices = arena_array(a, struct device, 2);
	t->devices[0] = (struct device){ -1, 0, 5, 108, 8, 0, 1LL << 40, 6, 7 };
	t->devices[1] = (struct device){ 1, 1, 0, -1, -1, -1, -1, 0, 0 };
	t->devices_n = 2;
	t->format = "nsys";
	t->framework = "pytorch";
	t->base_ns = 1700000000000000000;
	t->base_is_utc = true;
	note_add(&t->notes, NOTE_bad_event, 7, "why", 3);
	assert_true(trace_sort(t));
}

static void decode_capture(struct decoded *d, const struct trace *t,
	uint32_t process, size_t each)
{
	struct buf b;
	struct err e = { 0 };
	buf_init(&b, MOST);
	if (!capture_write(t, process, put, &b, &e))
		fail_msg("%s", e.text);
	decode_bytes(d, b.at, b.len, each);
	buf_release(&b);
	if (!d->ok)
		fail_msg("%s", d->err.text);
}
