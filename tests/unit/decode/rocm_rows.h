/* rocm_rows.h - prints the rows of a trace as lines for comparison. */
#pragma once
#include "fixture.h"

struct lines {
	char text[16000];
	size_t at;
};

__attribute__((format(printf, 2, 3))) static inline void line(struct lines *l,
	const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	l->at += (size_t)vsnprintf(l->text + l->at, sizeof l->text - l->at, fmt,
		args);
	va_end(args);
	assert_true(l->at < sizeof l->text);
}

static inline void lines_of_gpu(struct lines *l, const struct decoded *d,
	const struct process *p)
{
	const struct trace *t = &d->trace;
	for (uint32_t i = p->kernel.from; i < p->kernel.to; i++) {
		const struct launch_shape *s =
			trace_launch_shape_at(t, t->kernel.launch[i]);
		line(l,
			"kernel %lld+%lld %s gpu %d stream %lld of %lld: "
			"%dx%dx%d of %dx%dx%d regs %d lds %d\n",
			(long long)t->kernel.start_ns[i],
			(long long)t->kernel.dur_ns[i],
			text_of(d, t->kernel.name[i]), t->kernel.device[i],
			(long long)t->kernel.stream[i],
			(long long)t->kernel.correlation[i], s->grid[0],
			s->grid[1], s->grid[2], s->block[0], s->block[1],
			s->block[2], s->registers, s->shared_bytes);
		assert_int_equal(t->kernel.external_id[i], -1);
		assert_int_equal(t->kernel.graph_id[i], -1);
		assert_int_equal(t->kernel.graph_node[i], -1);
	}
	for (uint32_t i = p->copy.from; i < p->copy.to; i++) {
		line(l, "%s %lld+%lld %s gpu %d stream %lld of %lld: %lld B\n",
			t->copy.is_set[i] ? "set" : "copy",
			(long long)t->copy.start_ns[i],
			(long long)t->copy.dur_ns[i],
			text_of(d, t->copy.name[i]), t->copy.device[i],
			(long long)t->copy.stream[i],
			(long long)t->copy.correlation[i],
			(long long)t->copy.bytes[i]);
		assert_int_equal(t->copy.external_id[i], -1);
	}
}

static inline void lines_of_host(struct lines *l, const struct decoded *d,
	const struct process *p)
{
	const struct trace *t = &d->trace;
	for (uint32_t i = p->call.from; i < p->call.to; i++)
		line(l, "call %lld+%lld %s on %s is %lld\n",
			(long long)t->call.start_ns[i],
			(long long)t->call.dur_ns[i],
			text_of(d, t->call.name[i]),
			text_of(d, t->call.thread[i]),
			(long long)t->call.correlation[i]);
	for (uint32_t i = p->range.from; i < p->range.to; i++)
		line(l, "%s %lld+%lld %s: %s on %s\n",
			t->range.kind[i] == RANGE_LOOSE ? "loose" : "range",
			(long long)t->range.start_ns[i],
			(long long)t->range.dur_ns[i],
			text_of(d, t->range.domain[i]),
			text_of(d, t->range.name[i]),
			text_of(d, t->range.thread[i]));
	for (uint32_t i = p->counter.from; i < p->counter.to; i++)
		line(l, "counter %lld %s gpu %d: %.17g\n",
			(long long)t->counter.start_ns[i],
			text_of(d, t->counter.name[i]), t->counter.device[i],
			t->counter.value[i]);
}

static inline void lines_of_process(struct lines *l, const struct decoded *d,
	uint32_t i)
{
	const struct trace *t = &d->trace;
	const struct process *p = &t->processes[i];
	line(l, "process %lld %s at %s\n", (long long)p->pid,
		text_of(d, p->name), text_of(d, p->host));
	for (uint32_t j = 0; j < t->devices_n; j++) {
		const struct device *v = &t->devices[j];
		if (v->process == (int32_t)i || v->process < 0)
			line(l, "gpu %d %s: %d CUs, gfx %d.%d, %lld B\n",
				v->number, text_of(d, v->name), v->sm_count,
				v->compute_major, v->compute_minor,
				(long long)v->memory_bytes);
	}
	lines_of_gpu(l, d, p);
	lines_of_host(l, d, p);
}

/* The decoded file must be the same for any size of its pieces. */
static inline void check_rows(const char *bytes, size_t len, const char *want)
{
	for (size_t each = 1; each < 2000; each = each * 3 + 1) {
		struct decoded d;
		struct lines l = { .at = 0 };
		decode_bytes(&d, bytes, len, each);
		if (!d.ok)
			fail_msg("%s", d.err.text);
		for (uint32_t i = 0; i < d.trace.processes_n; i++)
			lines_of_process(&l, &d, i);
		assert_string_equal(l.text, want);
		assert_false(d.trace.base_is_utc);
		decoded_release(&d);
	}
}

/* The trace of one of the cases, in stored order. */
static inline size_t case_bytes(const char *name, char *bytes, size_t room)
{
	char path[1000];
	snprintf(path, sizeof path, "%s/tests/traces/%s",
		getenv("KERNSIFT_SRC"), name);
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	size_t n = fread(bytes, 1, room, f);
	assert_true(n > 0 && n < room);
	fclose(f);
	return n;
}
