/* nsys_call.c - calls of the CUDA runtime and driver. */
#include "nsys.h"

enum { START, END, TID, CORRELATION, NAME, COLUMNS };
static const struct sqlite_column columns[COLUMNS] = {
	[START] = { "start", true },
	[END] = { "end", true },
	[TID] = { "globalTid", false },
	[CORRELATION] = { "correlationId", false },
	[NAME] = { "nameId", true },
};

/* The name without the version that Nsight Systems puts behind it:
 * cudaLaunchKernel_v7000. (cuMemAlloc_v2 is the driver's own name.) */
static uint32_t unversioned(struct nsys *n, uint32_t id)
{
	enum { DIGITS_LEAST = 4 };
	const struct name *name = &n->trace->names.list[id];
	size_t len = name->len;
	while (len && name->text[len - 1] >= '0' && name->text[len - 1] <= '9')
		len--;
	if (name->len - len < DIGITS_LEAST || len < 3 ||
		memcmp(name->text + len - 2, "_v", 2) != 0)
		return id;
	return names_put(&n->trace->names, name->text, len - 2);
}

static bool take(struct nsys *n, struct sqlite_rows *r, struct err *e)
{
	struct trace *t = n->trace;
	int64_t global = sqlite_int_or(r, TID, 0);
	struct call_row c = { .external_id = -1,
		.correlation = sqlite_int_or(r, CORRELATION, -1) };
	n->rows++;
	if (!nsys_name(n, r, NAME, &c.name, e))
		return false;
	if (!nsys_span(n, r, NSYS_CALL, c.name, &c.start_ns, &c.dur_ns))
		return true;
	if (!nsys_process(n, global, true, &c.process, e))
		return false;
	if (c.process == NSYS_NOBODY)
		return true;
	c.name = unversioned(n, c.name);
	c.thread = nsys_thread(n, global);
	return (c.name != NAMES_NONE && c.thread != NAMES_NONE &&
		       trace_call_add(t, &c)) ||
	       arena_err(t->arena, e);
}

bool nsys_calls(struct nsys *n, struct err *e)
{
	return nsys_walk(n, "CUPTI_ACTIVITY_KIND_RUNTIME", columns, COLUMNS,
		       take, e) &&
	       nsys_walk(n, "CUPTI_ACTIVITY_KIND_DRIVER", columns, COLUMNS,
		       take, e);
}
