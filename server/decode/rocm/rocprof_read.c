/* rocprof_read.c - records and symbols, field by field. */
#include "rocprof_read.h"

static const char *handle_plain(const struct fields *f, struct scan *s,
	const char *p, int64_t *to)
{
	struct num n = { 0 };
	p = rocprof_handle(f, s, p, &n);
	if (p && n.kind == NUM_OK && n.value >= 0)
		*to = n.value;
	return p;
}

static const char *axis_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	int64_t *axes = to;
	(void)f;
	if (k < ROCPROF_X || k > ROCPROF_Z)
		return scan_skip(s, p, true);
	return fields_number(s, p, &axes[k - ROCPROF_X]);
}

static const char *correlation_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	struct rocprof_record *r = to;
	(void)f;
	if (k == ROCPROF_INTERNAL)
		return fields_number(s, p, &r->internal);
	if (k == ROCPROF_ANCESTOR)
		return fields_number(s, p, &r->ancestor);
	return scan_skip(s, p, true);
}

static const char *dispatch_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	struct rocprof_record *r = to;
	switch (k) {
	case ROCPROF_AGENT:
		return rocprof_handle(f, s, p, &r->agent);
	case ROCPROF_QUEUE:
		return handle_plain(f, s, p, &r->queue);
	case ROCPROF_KERNEL:
		return num_int(s, p, &r->kernel);
	case ROCPROF_LDS:
		return fields_number(s, p, &r->lds);
	case ROCPROF_GROUP:
		return fields_inner(f, s, p, axis_field, r->group);
	case ROCPROF_GRID:
		return fields_inner(f, s, p, axis_field, r->grid);
	default:
		return scan_skip(s, p, true);
	}
}

static const char *record_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	struct rocprof_record *r = to;
	switch (k) {
	case ROCPROF_KIND:
		return fields_number(s, p, &r->kind);
	case ROCPROF_OPERATION:
		return fields_number(s, p, &r->operation);
	case ROCPROF_THREAD:
		return fields_number(s, p, &r->thread);
	case ROCPROF_CORRELATION:
		return fields_inner(f, s, p, correlation_field, r);
	case ROCPROF_START:
		return num_int(s, p, &r->start);
	case ROCPROF_END:
		return num_int(s, p, &r->end);
	case ROCPROF_DISPATCH:
		return fields_inner(f, s, p, dispatch_field, r);
	case ROCPROF_STREAM:
		return handle_plain(f, s, p, &r->stream);
	case ROCPROF_DST_AGENT:
		return rocprof_handle(f, s, p, &r->dst);
	case ROCPROF_SRC_AGENT:
		return rocprof_handle(f, s, p, &r->src);
	case ROCPROF_BYTES:
		return fields_number(s, p, &r->bytes);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_record(struct scan *s, const struct words *w, const char *p,
	union rocprof_thing *t)
{
	struct fields f = { w, record_field };
	t->record = (struct rocprof_record){ .kind = -1,
		.operation = -1,
		.thread = -1,
		.internal = -1,
		.ancestor = -1,
		.queue = -1,
		.stream = -1,
		.bytes = -1,
		.lds = -1,
		.grid = { -1, -1, -1 },
		.group = { -1, -1, -1 } };
	return fields_read(&f, s, p, &t->record);
}

static const char *symbol_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	struct rocprof_symbol *y = to;
	(void)f;
	switch (k) {
	case ROCPROF_KERNEL:
		return num_int(s, p, &y->kernel);
	case ROCPROF_KERNEL_NAME:
		return scan_text(s, p, &y->name);
	case ROCPROF_FORMATTED:
		return scan_text(s, p, &y->formatted);
	case ROCPROF_DEMANGLED:
		return scan_text(s, p, &y->demangled);
	case ROCPROF_VGPR:
		return fields_number(s, p, &y->vgprs);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_symbol(struct scan *s, const struct words *w, const char *p,
	union rocprof_thing *t)
{
	struct fields f = { w, symbol_field };
	t->symbol = (struct rocprof_symbol){ .vgprs = -1 };
	return fields_read(&f, s, p, &t->symbol);
}
