/* rocprof_read.c - reads the objects of rocprofv3 JSON, field by field */
#include "rocprof_read.h"

/* Loops over fields, objects and strings. */

const char *rocprof_read_fields(const struct rocprof_fields *f, struct scan *s,
	const char *p, void *to)
{
	bool end;
	struct text_span key;
	if (*p != '{')
		return scan_skip(s, p, true);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		p = scan_key(s, p, &key);
		if (p)
			p = f->field(f, s, p,
				word_table_find(f->words, key.at, key.len), to);
	}
	return p;
}

/* Reads the object at p with another function for its fields. */
static const char *rocprof_read_inner(const struct rocprof_fields *f,
	struct scan *s, const char *p, rocprof_field_fn *field, void *to)
{
	struct rocprof_fields g = { f->words, field };
	return rocprof_read_fields(&g, s, p, to);
}

/* Moves past the separator between two items of a list, or to the end of the
 * list. */
static const char *rocprof_read_next(struct scan *s, const char *p)
{
	p = scan_ws(p);
	if (*p == ',')
		return scan_ws(p + 1);
	return *p == ']' ? p : scan_stop(s, p);
}

/* Reads each object of the list at p with another function. */
static const char *rocprof_read_each(const struct rocprof_fields *f,
	struct scan *s, const char *p, rocprof_field_fn *field, void *to)
{
	if (*p != '[')
		return scan_skip(s, p, true);
	p = scan_ws(p + 1);
	while (p && *p != ']') {
		p = *p == '{' ? rocprof_read_inner(f, s, p, field, to)
			      : scan_skip(s, p, false);
		p = p ? rocprof_read_next(s, p) : NULL;
	}
	return p ? p + 1 : NULL;
}

/* Reads the whole number at p; any other value, or a negative one, leaves `to`
 * unchanged. */
static const char *rocprof_read_number(struct scan *s, const char *p,
	int64_t *to)
{
	struct number n;
	p = number_int(s, p, &n);
	if (p && n.kind == NUMBER_OK && n.value >= 0)
		*to = n.value;
	return p;
}

const char *rocprof_read_string(struct scan *s, const char *p,
	struct text_span *text)
{
	const char *q = p;
	*text = (struct text_span){ 0 };
	if (*p != '"') {
		p = scan_skip(s, p, false);
		return p ? rocprof_read_next(s, p) : NULL;
	}
	q = scan_value(s, p + 1, false);
	if (!q)
		return NULL;
	*text = (struct text_span){ p + 1, (uint32_t)(q - p - 1), s->escaped };
	return rocprof_read_next(s, q + 1);
}

/* Reads the objects that records refer to: agents, names, the process. */

void rocprof_words_init(struct word_table *w)
{
	*w = (struct word_table){ 0 };
#define KEY(name, text) word_table_add(w, text, ROCPROF_##name);
#include "rocprof.def"
#undef KEY
}

static const char *rocprof_read_handle_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	(void)f;
	return k == ROCPROF_HANDLE ? number_int(s, p, to)
				   : scan_skip(s, p, true);
}

/* Reads a handle at p: {"handle": 7}, or 7 itself. */
static const char *rocprof_read_handle(const struct rocprof_fields *f,
	struct scan *s, const char *p, struct number *to)
{
	return *p == '{' ? rocprof_read_inner(f, s, p,
				   rocprof_read_handle_field, to)
			 : number_int(s, p, to);
}

static const char *rocprof_read_bank_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	int64_t *bytes = to, more = 0;
	(void)f;
	if (k != ROCPROF_SIZE_IN_BYTES)
		return scan_skip(s, p, true);
	p = rocprof_read_number(s, p, &more);
	if (p && !__builtin_add_overflow(*bytes < 0 ? 0 : *bytes, more, bytes))
		return p;
	*bytes = -1;
	return p;
}

static const char *rocprof_read_agent_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_agent *a = to;
	switch (k) {
	case ROCPROF_ID:
		return rocprof_read_handle(f, s, p, &a->handle);
	case ROCPROF_TYPE:
		return rocprof_read_number(s, p, &a->type);
	case ROCPROF_LOGICAL_TYPE:
		return rocprof_read_number(s, p, &a->logical);
	case ROCPROF_PCI_DOMAIN:
		return rocprof_read_number(s, p, &a->pci_domain);
	case ROCPROF_PCI_LOCATION:
		return rocprof_read_number(s, p, &a->pci_location);
	case ROCPROF_GPU_INDEX:
		return rocprof_read_number(s, p, &a->gpu_index);
	case ROCPROF_CU_COUNT:
		return rocprof_read_number(s, p, &a->cu_count);
	case ROCPROF_GFX_VERSION:
		return rocprof_read_number(s, p, &a->gfx);
	case ROCPROF_MAX_CLOCK:
		return rocprof_read_number(s, p, &a->clock_mhz);
	case ROCPROF_MEM_BANKS:
		return rocprof_read_each(f, s, p, rocprof_read_bank_field,
			&a->memory_bytes);
	case ROCPROF_NAME:
		return scan_text(s, p, &a->name);
	case ROCPROF_PRODUCT:
		return scan_text(s, p, &a->product);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_agent(struct scan *s, const struct word_table *w,
	const char *p, union rocprof_thing *t)
{
	struct rocprof_fields f = { w, rocprof_read_agent_field };
	t->agent = (struct rocprof_agent){ .type = -1,
		.logical = -1,
		.gpu_index = -1,
		.pci_domain = -1,
		.pci_location = -1,
		.cu_count = -1,
		.gfx = -1,
		.memory_bytes = -1,
		.clock_mhz = -1 };
	return rocprof_read_fields(&f, s, p, &t->agent);
}

static const char *rocprof_read_operations_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
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

const char *rocprof_operations(struct scan *s, const struct word_table *w,
	const char *p, union rocprof_thing *t)
{
	struct rocprof_fields f = { w, rocprof_read_operations_field };
	t->operations = (struct rocprof_operations){ 0 };
	return rocprof_read_fields(&f, s, p, &t->operations);
}

static const char *rocprof_read_entry_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_entry *m = to;
	(void)f;
	if (k == ROCPROF_MAP_KEY)
		return number_int(s, p, &m->key);
	if (k == ROCPROF_MAP_VALUE)
		return scan_text(s, p, &m->value);
	return scan_skip(s, p, true);
}

const char *rocprof_entry(struct scan *s, const struct word_table *w,
	const char *p, union rocprof_thing *t)
{
	struct rocprof_fields f = { w, rocprof_read_entry_field };
	t->entry = (struct rocprof_entry){ 0 };
	return rocprof_read_fields(&f, s, p, &t->entry);
}

static const char *rocprof_read_node_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
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
static const char *rocprof_read_command(struct scan *s, const char *p,
	struct text_span *program)
{
	struct text_span more;
	if (*p != '[')
		return scan_text(s, p, program);
	p = scan_ws(p + 1);
	if (*p != ']')
		p = rocprof_read_string(s, p, program);
	while (p && *p != ']')
		p = rocprof_read_string(s, p, &more);
	return p ? p + 1 : NULL;
}

static const char *rocprof_read_metadata_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_metadata *m = to;
	switch (k) {
	case ROCPROF_NODE:
		return rocprof_read_inner(f, s, p, rocprof_read_node_field, m);
	case ROCPROF_HOST:
		return scan_text(s, p, &m->host);
	case ROCPROF_PID:
		return number_int(s, p, &m->pid);
	case ROCPROF_COMMAND:
		return rocprof_read_command(s, p, &m->program);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_metadata(struct scan *s, const struct word_table *w,
	const char *p, union rocprof_thing *t)
{
	struct rocprof_fields f = { w, rocprof_read_metadata_field };
	t->metadata = (struct rocprof_metadata){ 0 };
	return rocprof_read_fields(&f, s, p, &t->metadata);
}

static const char *rocprof_read_handle_plain(const struct rocprof_fields *f,
	struct scan *s, const char *p, int64_t *to)
{
	struct number n = { 0 };
	p = rocprof_read_handle(f, s, p, &n);
	if (p && n.kind == NUMBER_OK && n.value >= 0)
		*to = n.value;
	return p;
}

static const char *rocprof_read_axis_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	int64_t *axes = to;
	(void)f;
	if (k < ROCPROF_X || k > ROCPROF_Z)
		return scan_skip(s, p, true);
	return rocprof_read_number(s, p, &axes[k - ROCPROF_X]);
}

static const char *rocprof_read_correlation_field(const struct rocprof_fields
							  *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_record *r = to;
	(void)f;
	if (k == ROCPROF_INTERNAL)
		return rocprof_read_number(s, p, &r->internal);
	if (k == ROCPROF_ANCESTOR)
		return rocprof_read_number(s, p, &r->ancestor);
	return scan_skip(s, p, true);
}

static const char *rocprof_read_dispatch_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_record *r = to;
	switch (k) {
	case ROCPROF_AGENT:
		return rocprof_read_handle(f, s, p, &r->agent);
	case ROCPROF_QUEUE:
		return rocprof_read_handle_plain(f, s, p, &r->queue);
	case ROCPROF_KERNEL:
		return number_int(s, p, &r->kernel);
	case ROCPROF_LDS:
		return rocprof_read_number(s, p, &r->lds);
	case ROCPROF_GROUP:
		return rocprof_read_inner(f, s, p, rocprof_read_axis_field,
			r->group);
	case ROCPROF_GRID:
		return rocprof_read_inner(f, s, p, rocprof_read_axis_field,
			r->grid);
	default:
		return scan_skip(s, p, true);
	}
}

static const char *rocprof_read_record_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_record *r = to;
	switch (k) {
	case ROCPROF_KIND:
		return rocprof_read_number(s, p, &r->kind);
	case ROCPROF_OPERATION:
		return rocprof_read_number(s, p, &r->operation);
	case ROCPROF_THREAD:
		return rocprof_read_number(s, p, &r->thread);
	case ROCPROF_CORRELATION:
		return rocprof_read_inner(f, s, p,
			rocprof_read_correlation_field, r);
	case ROCPROF_START:
		return number_int(s, p, &r->start);
	case ROCPROF_END:
		return number_int(s, p, &r->end);
	case ROCPROF_DISPATCH:
		return rocprof_read_inner(f, s, p, rocprof_read_dispatch_field,
			r);
	case ROCPROF_STREAM:
		return rocprof_read_handle_plain(f, s, p, &r->stream);
	case ROCPROF_DST_AGENT:
		return rocprof_read_handle(f, s, p, &r->dst);
	case ROCPROF_SRC_AGENT:
		return rocprof_read_handle(f, s, p, &r->src);
	case ROCPROF_BYTES:
		return rocprof_read_number(s, p, &r->bytes);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_record(struct scan *s, const struct word_table *w,
	const char *p, union rocprof_thing *t)
{
	struct rocprof_fields f = { w, rocprof_read_record_field };
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
	return rocprof_read_fields(&f, s, p, &t->record);
}

static const char *rocprof_read_symbol_field(const struct rocprof_fields *f,
	struct scan *s, const char *p, uint32_t k, void *to)
{
	struct rocprof_symbol *y = to;
	(void)f;
	switch (k) {
	case ROCPROF_KERNEL:
		return number_int(s, p, &y->kernel);
	case ROCPROF_KERNEL_NAME:
		return scan_text(s, p, &y->name);
	case ROCPROF_FORMATTED:
		return scan_text(s, p, &y->formatted);
	case ROCPROF_DEMANGLED:
		return scan_text(s, p, &y->demangled);
	case ROCPROF_VGPR:
		return rocprof_read_number(s, p, &y->vgprs);
	default:
		return scan_skip(s, p, true);
	}
}

const char *rocprof_symbol(struct scan *s, const struct word_table *w,
	const char *p, union rocprof_thing *t)
{
	struct rocprof_fields f = { w, rocprof_read_symbol_field };
	t->symbol = (struct rocprof_symbol){ .vgprs = -1 };
	return rocprof_read_fields(&f, s, p, &t->symbol);
}
