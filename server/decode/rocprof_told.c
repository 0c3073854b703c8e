/* rocprof_told.c - what records refer to: agents, names, the process. */
#include "rocprof_read.h"

void rocprof_words_init(struct words *w)
{
	*w = (struct words){ 0 };
#define KEY(name, text) words_add(w, text, ROCPROF_##name);
#include "rocprof.def"
#undef KEY
}

static const char *handle_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	(void)f;
	return k == ROCPROF_HANDLE ? num_int(s, p, to) : scan_skip(s, p, true);
}

const char *rocprof_handle(const struct fields *f, struct scan *s,
	const char *p, struct num *to)
{
	return *p == '{' ? fields_inner(f, s, p, handle_field, to)
			 : num_int(s, p, to);
}

static const char *bank_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	int64_t *bytes = to, more = 0;
	(void)f;
	if (k != ROCPROF_SIZE_IN_BYTES)
		return scan_skip(s, p, true);
	p = fields_number(s, p, &more);
	if (p && !__builtin_add_overflow(*bytes < 0 ? 0 : *bytes, more, bytes))
		return p;
	*bytes = -1;
	return p;
}

static const char *agent_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	struct rocprof_agent *a = to;
	switch (k) {
	case ROCPROF_ID:
		return rocprof_handle(f, s, p, &a->handle);
	case ROCPROF_TYPE:
		return fields_number(s, p, &a->type);
	case ROCPROF_LOGICAL_TYPE:
		return fields_number(s, p, &a->logical);
	case ROCPROF_GPU_INDEX:
		return fields_number(s, p, &a->gpu_index);
	case ROCPROF_CU_COUNT:
		return fields_number(s, p, &a->cu_count);
	case ROCPROF_GFX_VERSION:
		return fields_number(s, p, &a->gfx);
	case ROCPROF_MAX_CLOCK:
		return fields_number(s, p, &a->clock_mhz);
	case ROCPROF_MEM_BANKS:
		return fields_each(f, s, p, bank_field, &a->memory_bytes);
	case ROCPROF_NAME:
		return scan_text(s, p, &a->name);
	case ROCPROF_PRODUCT:
		return scan_text(s, p, &a->product);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_agent(struct scan *s, const struct words *w, const char *p,
	union rocprof_thing *t)
{
	struct fields f = { w, agent_field };
	t->agent = (struct rocprof_agent){ .type = -1,
		.logical = -1,
		.gpu_index = -1,
		.cu_count = -1,
		.gfx = -1,
		.memory_bytes = -1,
		.clock_mhz = -1 };
	return fields_read(&f, s, p, &t->agent);
}

static const char *operations_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	struct rocprof_operations *o = to;
	(void)f;
	if (k == ROCPROF_KIND)
		return scan_text(s, p, &o->kind);
	const char *q = scan_skip(s, p, true);
	if (q && k == ROCPROF_OPERATIONS && *p == '[')
		o->list = p;
	return q;
}

const char *rocprof_operations(struct scan *s, const struct words *w,
	const char *p, union rocprof_thing *t)
{
	struct fields f = { w, operations_field };
	t->operations = (struct rocprof_operations){ 0 };
	return fields_read(&f, s, p, &t->operations);
}

static const char *entry_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	struct rocprof_entry *m = to;
	(void)f;
	if (k == ROCPROF_MAP_KEY)
		return num_int(s, p, &m->key);
	if (k == ROCPROF_MAP_VALUE)
		return scan_text(s, p, &m->value);
	return scan_skip(s, p, true);
}

const char *rocprof_entry(struct scan *s, const struct words *w, const char *p,
	union rocprof_thing *t)
{
	struct fields f = { w, entry_field };
	t->entry = (struct rocprof_entry){ 0 };
	return fields_read(&f, s, p, &t->entry);
}

static const char *node_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	struct rocprof_metadata *m = to;
	(void)f;
	switch (k) {
	case ROCPROF_HOST:
		return scan_text(s, p, &m->host);
	case ROCPROF_SYSTEM:
		return scan_text(s, p, &m->system);
	case ROCPROF_RELEASE:
		return scan_text(s, p, &m->release);
	default:
		return scan_skip(s, p, true);
	}
}

/* The first word of a command. */
static const char *command(struct scan *s, const char *p, struct span *program)
{
	struct span more;
	if (*p != '[')
		return scan_text(s, p, program);
	p = scan_ws(p + 1);
	if (*p != ']')
		p = fields_string(s, p, program);
	while (p && *p != ']')
		p = fields_string(s, p, &more);
	return p ? p + 1 : NULL;
}

static const char *metadata_field(const struct fields *f, struct scan *s,
	const char *p, uint32_t k, void *to)
{
	struct rocprof_metadata *m = to;
	switch (k) {
	case ROCPROF_NODE:
		return fields_inner(f, s, p, node_field, m);
	case ROCPROF_HOST:
		return scan_text(s, p, &m->host);
	case ROCPROF_PID:
		return num_int(s, p, &m->pid);
	case ROCPROF_COMMAND:
		return command(s, p, &m->program);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_metadata(struct scan *s, const struct words *w,
	const char *p, union rocprof_thing *t)
{
	struct fields f = { w, metadata_field };
	t->metadata = (struct rocprof_metadata){ 0 };
	return fields_read(&f, s, p, &t->metadata);
}
