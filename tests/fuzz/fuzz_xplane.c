/* fuzz_xplane.c - fuzzes the decoder of XSpace files.
 *
 * The second byte selects the input: any bytes, or messages with correct
 * lengths, which arbitrary bytes would hardly ever have. The rows that the
 * decoder accepts must meet the guarantees of their columns, and the analysis
 * must accept them. */
#include "analyze.h"
#include "format.h"
#include "fuzz_parts.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 11, ROOM = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- messages, the innermost one last */

struct message {
	uint8_t bytes[ROOM];
	size_t n;
	uint8_t field; /* in the message around it */
};

struct messages {
	struct message open[DEPTH];
	int depth;
};

static void put(struct message *m, const void *bytes, size_t n)
{
	if (n > ROOM - m->n)
		return;
	memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
}

static void put_varint(struct message *m, uint64_t v)
{
	uint8_t bytes[10];
	size_t n = 0;
	for (; v > 127; v >>= 7)
		bytes[n++] = (uint8_t)(v | 128);
	bytes[n++] = (uint8_t)v;
	put(m, bytes, n);
}

static void put_bytes(struct message *m, uint8_t field, const void *bytes,
	size_t n)
{
	put_varint(m, (uint64_t)field << 3 | 2);
	put_varint(m, n);
	put(m, bytes, n);
}

static void close_message(struct messages *s)
{
	struct message *inner = &s->open[s->depth--];
	put_bytes(&s->open[s->depth], inner->field, inner->bytes, inner->n);
}

/* The names that the decoder knows. */
static const char *const words[] = { "/device:GPU:0", "/host:CPU",
	"/host:metadata", "Task Environment", "Stream #7(Compute)", "Steps",
	"fusion.1", "hlo_op", "hlo_module", "program_id", "name", "step_num",
	"correlation_id", "kernel_details", "memcpy_details", "memset_details",
	"profile_start_time", "clock_rate",
	"regs:32 static_shared:9 dynamic_shared:1 grid:4,2,1 block:128,1,1",
	"kind:x size:4096 dest:0", "MemcpyH2D", "$a.py:1 f", "jit_f" };
enum { WORDS = sizeof words / sizeof *words };

/* One instruction of two bytes: the low five bits of the first are a field, the
 * others say what it contains. */
static void play_one(struct messages *s, uint8_t what, uint8_t value)
{
	struct message *m = &s->open[s->depth];
	uint8_t field = what & 31;
	switch (what >> 5) {
	case 0:
		if (s->depth + 1 < DEPTH)
			s->open[++s->depth] =
				(struct message){ .field = field };
		break;
	case 1:
		if (s->depth)
			close_message(s);
		break;
	case 2:
		put_varint(m, (uint64_t)field << 3);
		put_varint(m, value);
		break;
	case 3: /* a large number */
		put_varint(m, (uint64_t)field << 3);
		put_varint(m, (uint64_t)value << 56 | value);
		break;
	case 4: /* fields above 31 */
		put_varint(m, (uint64_t)(field + 32) << 3);
		put_varint(m, value);
		break;
	case 5:
		put_bytes(m, field, &value, 1);
		break;
	default:
		put_bytes(m, field, words[value % WORDS],
			strlen(words[value % WORDS]));
	}
}

static struct fuzz_parts structured(const uint8_t *data, size_t size,
	struct messages *s)
{
	s->depth = 0;
	s->open[0].n = 0;
	for (size_t i = 2; i + 1 < size; i += 2)
		play_one(s, data[i], data[i + 1]);
	while (s->depth)
		close_message(s);
	return (struct fuzz_parts){ s->open[0].bytes, s->open[0].n,
		1 + (size_t)data[0] * 3 };
}

/* ---- checks */

static bool time_ok(int64_t start_ns, int64_t dur_ns)
{
	return start_ns >= 0 && start_ns <= TRACE_TIME_MAX_NS && dur_ns >= 0 &&
	       dur_ns <= TRACE_TIME_MAX_NS;
}

static void check(const struct trace *t)
{
	assert(t->processes_n == 1 && t->base_ns >= INT64_MIN);
	for (uint32_t i = 0; i < t->kernel.n; i++) {
		assert(t->kernel.name[i] && t->kernel.name[i] < t->names.n);
		assert(t->kernel.launch[i] < t->launch_shapes.n);
		assert(t->kernel.device[i] >= -1);
		assert(time_ok(t->kernel.start_ns[i], t->kernel.dur_ns[i]));
	}
	for (uint32_t i = 0; i < t->copy.n; i++) {
		assert(t->copy.name[i] && t->copy.name[i] < t->names.n);
		assert(t->copy.bytes[i] >= -1);
		assert(time_ok(t->copy.start_ns[i], t->copy.dur_ns[i]));
	}
	for (uint32_t i = 0; i < t->call.n; i++)
		assert(t->call.name[i] < t->names.n && t->call.thread[i] &&
			time_ok(t->call.start_ns[i], t->call.dur_ns[i]));
	for (uint32_t i = 0; i < t->op.n; i++)
		assert(t->op.name[i] < t->names.n &&
			t->op.dims[i] < t->names.n &&
			t->op.types[i] < t->names.n &&
			time_ok(t->op.start_ns[i], t->op.dur_ns[i]));
	for (uint32_t i = 0; i < t->range.n; i++)
		assert(t->range.name[i] < t->names.n &&
			time_ok(t->range.start_ns[i], t->range.dur_ns[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct catalog *families;
	static struct messages messages;
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct err e = { 0 };
	struct trace t;
	struct plain plain;
	struct byte_window w;
	struct profile p;

	if (!families && !(families = catalog_new(NULL, &e)))
		abort();
	if (size < 2)
		return 0;
	struct fuzz_parts from = data[1] & 1
					 ? structured(data, size, &messages)
					 : fuzz_parts_of(data + 1, size - 1);
	struct source s = { fuzz_parts_next, &from, -1 };
	bool ok = trace_init(&t, &a);
	assert(ok);
	plain_init(&plain, &s, &fuzz_limits, NULL, &a, &t.notes);
	if (byte_window_init(&w, &plain, &e)) {
		ok = xplane_decode(&w, &t, &e);
		assert(ok ? !e.code : e.code && e.text[0]);
		ok = ok && trace_sort(&t);
		if (ok)
			check(&t);
		if (ok)
			profile_from(&t, 0, families, NULL, &a, &p, &e);
	}
	byte_window_release(&w);
	plain_release(&plain);
	arena_release(&a);
	return 0;
}
