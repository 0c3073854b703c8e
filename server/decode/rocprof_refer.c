/* rocprof_refer.c - takes in what records refer to. */
#include "rocprof.h"

/* The id of a text as it lies in the file; 0 where there is none. */
static bool raw(struct rocprof *r, const struct span *s, uint32_t *id)
{
	*id = s->at ? names_put(&r->raw, s->at, s->len) : 0;
	return *id != NAMES_NONE;
}

/* The name people know is the one the tool prints: demangled, and without the
 * ".kd" of its symbol. The tool's first symbol stands for "none". */
bool rocprof_symbol_add(struct rocprof *r)
{
	const struct rocprof_symbol *y = &r->thing.symbol;
	struct span name = y->formatted;
	uint32_t id;
	if (y->kernel.kind != NUM_OK || !y->name.len)
		return true;
	if (!name.len)
		name = y->demangled;
	if (!name.len)
		name = y->name;
	name.len = (uint32_t)roc_kernel_len(name.at, name.len);
	if (r->items.reader.quoted)
		note_add(&r->trace->notes, NOTE_name_quote, 1, name.at,
			name.len);
	return raw(r, &name, &id) &&
	       roc_map_put(&r->symbols, y->kernel.value,
		       roc_small(y->vgprs) * (INT64_C(1) << 32) + id);
}

/* Each list of operations is of the next kind; where one is lost, nobody knows
 * any more which the others are of. */
bool rocprof_operations_add(struct rocprof *r)
{
	const char *p = r->thing.operations.list;
	struct scan s = { .end = r->items.reader.window->end,
		.lenient = r->items.reader.quoted };
	int64_t kind = r->kinds, number = 0;
	if (kind < 0 || kind >= UINT16_MAX)
		return true;
	r->kinds++;
	p = p ? scan_ws(p + 1) : NULL;
	while (p && *p != ']' && number < UINT16_MAX) {
		struct span name;
		uint32_t id;
		p = fields_string(&s, p, &name);
		if (p && name.at &&
			(!raw(r, &name, &id) ||
				!roc_map_put(&r->names, kind << 16 | number,
					id)))
			return false;
		number++;
	}
	return true;
}

bool rocprof_message_add(struct rocprof *r)
{
	const struct rocprof_entry *m = &r->thing.entry;
	uint32_t id;
	if (m->key.kind != NUM_OK || !m->value.at)
		return true;
	return raw(r, &m->value, &id) &&
	       roc_map_put(&r->messages, m->key.value, id);
}

bool rocprof_metadata_add(struct rocprof *r)
{
	const struct rocprof_metadata *m = &r->thing.metadata;
	struct span program = m->program;
	if (m->pid.kind == NUM_OK && m->pid.value >= 0)
		r->process.pid = m->pid.value;
	if (m->host.len)
		r->process.host = text_id(&r->text, &m->host);
	if (program.len) {
		size_t at = roc_program_at(program.at, program.len);
		program.at += at;
		program.len -= (uint32_t)at;
		r->process.name = text_id(&r->text, &program);
	}
	return r->process.host != NAMES_NONE && r->process.name != NAMES_NONE &&
	       roc_system_told(&r->facts, m->system.at, m->system.len,
		       m->release.at, m->release.len);
}

/* GPUs have the number the tool gives them among GPUs, which is HIP's. */
bool rocprof_agent_add(struct rocprof *r)
{
	const struct rocprof_agent *a = &r->thing.agent;
	enum { TYPE_CPU = 1, TYPE_GPU = 2 };
	struct device d = { .process = (int32_t)r->trace->processes_n,
		.number = roc_small(a->logical) };
	const struct span *name = a->product.len ? &a->product : &a->name;
	if (a->handle.kind != NUM_OK)
		return true;
	if (a->type != TYPE_GPU)
		return roc_map_put(&r->numbers, a->handle.value, -1) &&
		       (a->type != TYPE_CPU ||
			       fact_list_beside(&r->facts, "cpu", a->product.at,
				       a->product.len));
	roc_device_told(&d, a->cu_count, a->gfx, a->memory_bytes);
	if (d.number < 0)
		d.number = roc_small(a->gpu_index);
	if (d.number < 0)
		d.number = r->gpus;
	r->gpus++;
	if (name->len)
		d.name = text_id(&r->text, name);
	return d.name != NAMES_NONE &&
	       roc_clock_told(&r->facts, a->clock_mhz) &&
	       roc_map_put(&r->numbers, a->handle.value, d.number) &&
	       roc_device_add(r->trace, &r->devices_cap, &d);
}
