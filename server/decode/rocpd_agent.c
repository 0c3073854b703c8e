/* rocpd_agent.c - GPUs; and the JSON that rows of this database carry. */
#include "rocpd.h"

enum { ID, PID, TYPE, TYPE_INDEX, NAME, PRODUCT, EXTDATA, COLUMNS };
static const struct sqlite_column columns[] = {
	{ "id", true },
	{ "pid", false },
	{ "type", true },
	{ "type_index", false },
	{ "name", false },
	{ "product_name", false },
	{ "extdata", false },
};

char *rocpd_json(struct rocpd *r, struct sqlite_rows *rows, int column,
	size_t *len)
{
	const char *at;
	if (!sqlite_bytes(rows, column, &at, len) || *len < 2 || *at != '{')
		return NULL;
	char *text = arena_grow(r->trace->arena, NULL, *len + SCAN_PAD);
	if (text) {
		memcpy(text, at, *len);
		memset(text + *len, 0, SCAN_PAD);
	}
	return text;
}

/* What rocprofv3 writes of an agent, beside the columns. */
static void told(struct rocpd *r, struct sqlite_rows *rows,
	struct rocprof_agent *a)
{
	union rocprof_thing thing;
	size_t len;
	char *text = rocpd_json(r, rows, EXTDATA, &len);
	*a = (struct rocprof_agent){ .type = -1,
		.logical = -1,
		.gpu_index = -1,
		.cu_count = -1,
		.gfx = -1,
		.memory_bytes = -1,
		.clock_mhz = -1 };
	if (text) {
		struct scan s = { .end = text + len };
		if (rocprof_agent(&s, &r->words, text, &thing))
			*a = thing.agent;
		a->name = a->product = (struct span){ 0 };
	}
	arena_drop(r->trace->arena, text);
}

static bool cpu_told(struct rocpd *r, struct sqlite_rows *rows)
{
	const char *at;
	size_t len;
	bool cpu = sqlite_bytes(rows, TYPE, &at, &len) && len == 3 &&
		   !memcmp(at, "CPU", 3);
	return !cpu || !sqlite_bytes(rows, PRODUCT, &at, &len) ||
	       fact_list_beside(&r->facts, "cpu", at, len);
}

static bool agent(struct rocpd *r, struct sqlite_rows *rows, struct err *e)
{
	const char *type;
	struct rocprof_agent a;
	size_t len;
	int64_t id = sqlite_int_or(rows, ID, -1);
	(void)e;
	if (!sqlite_bytes(rows, TYPE, &type, &len) || len != 3 ||
		memcmp(type, "GPU", 3) != 0)
		return roc_map_put(&r->map[ROCPD_AGENTS], id, -1) &&
		       cpu_told(r, rows);
	told(r, rows, &a);
	struct device d = {
		.process = rocpd_process(r, sqlite_int_or(rows, PID, -1)),
		.number = roc_small(sqlite_int_or(rows, TYPE_INDEX, a.logical)),
		.name = sqlite_text(rows, PRODUCT, &r->text),
	};
	roc_device_told(&d, a.cu_count, a.gfx, a.memory_bytes);
	if (!d.name)
		d.name = sqlite_text(rows, NAME, &r->text);
	if (d.number < 0)
		d.number = roc_small(id);
	return d.process >= 0 && d.name != NAMES_NONE &&
	       roc_clock_told(&r->facts, a.clock_mhz) &&
	       roc_map_put(&r->map[ROCPD_AGENTS], id, d.number) &&
	       roc_device_add(r->trace, &r->devices_cap, &d);
}

bool rocpd_agents(struct rocpd *r, struct err *e)
{
	return rocpd_each(r, "rocpd_info_agent", columns, COLUMNS, agent, e);
}
