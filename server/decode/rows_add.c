/* rows_add.c - what an event becomes, kind by kind. */
#include "rows.h"

/* The id of a string; 0 where there is none. */
bool rows_text(struct rows *r, const struct span *s, uint32_t *id)
{
	*id = s->at ? text_id(&r->text, s) : 0;
	return *id != NAMES_NONE;
}

static bool json(struct rows *r, const struct span *s, uint32_t *id)
{
	*id = s->at ? text_json_id(&r->text, s) : 0;
	return *id != NAMES_NONE;
}

static bool thread(struct rows *r, const struct span *s, uint32_t *id)
{
	if (!s->at || s->len == 0 || s->len > 16 || s->escaped)
		return rows_text(r, s, id);
	unsigned i = (unsigned char)s->at[s->len - 1] & 7;
	if (r->thread_memo[i].len == s->len &&
		!memcmp(r->thread_memo[i].text, s->at, s->len)) {
		*id = r->thread_memo[i].id;
		return true;
	}
	if (!rows_text(r, s, id))
		return false;
	memcpy(r->thread_memo[i].text, s->at, s->len);
	r->thread_memo[i].len = s->len;
	r->thread_memo[i].id = *id;
	return true;
}

static bool shape(struct rows *r, const struct event *e, uint32_t *id)
{
	struct launch_shape s = { .registers = e->registers,
		.shared_bytes = e->shared };
	memcpy(s.grid, e->grid, sizeof s.grid);
	memcpy(s.block, e->block, sizeof s.block);
	*id = e->has_shape ? trace_launch_shape(r->trace, &s) : 0;
	return *id != NAMES_NONE;
}

/* A GPU event's device: as it says, else its pid, which is the device's
 * number in every Kineto trace. */
static int32_t device(const struct event *e)
{
	int64_t d = e->device;
	if (d < 0)
		d = e->pid_raw;
	if (d < 0 && e->pid.kind == NUM_OK)
		d = e->pid.value;
	return d >= 0 && d <= INT32_MAX ? (int32_t)d : -1;
}

/* A GPU event's stream: as it says, else its thread, "7" or "stream 7". */
static int64_t stream(const struct event *e)
{
	static const char before[] = "stream ";
	size_t from = sizeof before - 1;
	int64_t n = e->stream;
	if (n >= 0 || !e->tid.at)
		return n;
	if (e->tid.len < from || memcmp(e->tid.at, before, from) != 0)
		from = 0;
	if (e->tid.len == from || e->tid.len > from + 18)
		return -1;
	for (n = 0; from < e->tid.len; from++) {
		if (!num_digit(e->tid.at[from]))
			return -1;
		n = n * 10 + (e->tid.at[from] - '0');
	}
	return n;
}

static bool kernel(struct rows *r, const struct event *e, uint16_t pid)
{
	uint32_t name, launch;
	return rows_text(r, &e->name, &name) && shape(r, e, &launch) &&
	       trace_kernel_add(r->trace, &(struct kernel_row){ .process = pid,
						  .start_ns = e->ts.value,
						  .dur_ns = e->dur.value,
						  .name = name,
						  .device = device(e),
						  .stream = stream(e),
						  .correlation = e->correlation,
						  .external_id = e->external_id,
						  .graph_id = e->graph_id,
						  .graph_node = e->graph_node,
						  .launch = launch });
}

static bool copy(struct rows *r, const struct event *e, uint16_t pid)
{
	uint32_t name;
	return rows_text(r, &e->name, &name) &&
	       trace_copy_add(r->trace,
		       &(struct copy_row){ .process = pid,
			       .start_ns = e->ts.value,
			       .dur_ns = e->dur.value,
			       .name = name,
			       .device = device(e),
			       .stream = stream(e),
			       .correlation = e->correlation,
			       .external_id = e->external_id,
			       .bytes = e->bytes,
			       .is_set = e->category == CATEGORY_SET });
}

static bool call(struct rows *r, const struct event *e, uint16_t pid)
{
	uint32_t name, tid, launched, launch;
	return rows_text(r, &e->name, &name) && thread(r, &e->tid, &tid) &&
	       rows_text(r, &e->kernel, &launched) && shape(r, e, &launch) &&
	       trace_call_add(r->trace, &(struct call_row){ .process = pid,
						.start_ns = e->ts.value,
						.dur_ns = e->dur.value,
						.name = name,
						.thread = tid,
						.correlation = e->correlation,
						.external_id = e->external_id,
						.kernel = launched,
						.launch = launch });
}

static bool op(struct rows *r, const struct event *e, uint16_t pid)
{
	uint32_t name, tid, dims, types;
	r->pytorch = true;
	return rows_text(r, &e->name, &name) && thread(r, &e->tid, &tid) &&
	       json(r, &e->dims, &dims) && json(r, &e->types, &types) &&
	       trace_op_add(r->trace, &(struct op_row){ .process = pid,
					      .start_ns = e->ts.value,
					      .dur_ns = e->dur.value,
					      .name = name,
					      .thread = tid,
					      .external_id = e->external_id,
					      .dims = dims,
					      .types = types });
}

static enum range_kind range_kind(const struct event *e)
{
	static const char module[] = "nn.Module: ";
	size_t len = sizeof module - 1;
	if (e->category == CATEGORY_ANNOTATION)
		return RANGE_ANNOTATION;
	if (e->category == CATEGORY_GPU_ANNOTATION)
		return RANGE_GPU_ANNOTATION;
	return e->name.len > len && !memcmp(e->name.at, module, len)
		       ? RANGE_MODULE
		       : RANGE_PYTHON;
}

static bool range(struct rows *r, const struct event *e, uint16_t pid)
{
	uint32_t name, tid;
	bool python = e->category == CATEGORY_PYTHON;
	return rows_text(r, &e->name, &name) && thread(r, &e->tid, &tid) &&
	       trace_range_add(r->trace,
		       &(struct range_row){ .process = pid,
			       .start_ns = e->ts.value,
			       .dur_ns = e->dur.value,
			       .name = name,
			       .kind = (uint8_t)range_kind(e),
			       .thread = tid,
			       .id = python ? e->python_id : e->external_id,
			       .parent = e->python_parent });
}

bool rows_add(struct rows *r, const struct event *e, uint32_t index)
{
	struct pid *p = &r->pids.list[index];
	uint16_t pid = (uint16_t)index;
	r->used++;
	switch (e->category) {
	case CATEGORY_KERNEL:
		p->gpu++;
		return kernel(r, e, pid);
	case CATEGORY_COPY:
	case CATEGORY_SET:
		p->gpu++;
		return copy(r, e, pid);
	case CATEGORY_CALL:
		p->tasks++;
		return call(r, e, pid);
	case CATEGORY_OP:
		p->tasks++;
		return op(r, e, pid);
	case CATEGORY_GPU_ANNOTATION:
		p->gpu++;
		return range(r, e, pid);
	default:
		p->ranges++;
		return range(r, e, pid);
	}
}
