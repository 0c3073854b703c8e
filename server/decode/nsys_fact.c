/* nsys_fact.c - drivers, clocks, the CPU, and what was asked to be traced. */
#include "nsys.h"
#include <ctype.h>
#include <stdlib.h>

enum { NAME, VALUE, COLUMNS };
static const struct sqlite_column columns[COLUMNS] = {
	[NAME] = { "name", true },
	[VALUE] = { "value", true },
};

struct word {
	const char *at;
	size_t len;
};

static bool is(struct word w, const char *text)
{
	return w.len == strlen(text) && !memcmp(w.at, text, w.len);
}

static bool pair(struct sqlite_rows *r, struct word *name, struct word *value)
{
	return sqlite_bytes(r, NAME, &name->at, &name->len) &&
	       sqlite_bytes(r, VALUE, &value->at, &value->len) && value->len;
}

/* "…/nsight-systems/2024.6.2/target-linux-x64" tells who recorded; the version
 * beside the tables is of whoever exported. */
static bool profiler(struct nsys *n, struct word path)
{
	char text[64];
	for (size_t i = 0, k; i < path.len; i = k) {
		bool dot = false;
		for (k = i + 1; k < path.len && path.at[k] != '/'; k++)
			dot |= path.at[k] == '.';
		size_t at = i + 1;
		while (at < k && (isdigit((unsigned char)path.at[at]) ||
					 path.at[at] == '.'))
			at++;
		if (path.at[i] != '/' || at < k || !dot || k - i > 24)
			continue;
		int len = snprintf(text, sizeof text, "Nsight Systems %.*s",
			(int)(k - i - 1), path.at + i + 1);
		return fact_list_put(&n->facts, "profiler", text, (size_t)len);
	}
	return true;
}

static bool take_system(struct nsys *n, struct sqlite_rows *r, struct err *e)
{
	struct word name, value;
	bool ok = true;
	if (!pair(r, &name, &value))
		return true;
	if (is(name, "NvDriverVersion"))
		ok = fact_list_put(&n->facts, "driver", value.at, value.len);
	else if (is(name, "CpuDescription") && !is(value, "unknown"))
		ok = fact_list_put(&n->facts, "cpu", value.at, value.len);
	else if (is(name, "CpuCores"))
		ok = fact_list_put(&n->facts, "cpu_cores", value.at, value.len);
	else if (is(name, "TargetInstallDir"))
		ok = profiler(n, value);
	return ok || arena_err(n->trace->arena, e);
}

static bool take_capture(struct nsys *n, struct sqlite_rows *r, struct err *e)
{
	static const char graphs[] = "CUDA_GRAPH_TRACE_OPTIONS:MODE";
	struct word name, value;
	size_t len = sizeof graphs - 1;
	if (!pair(r, &name, &value))
		return true;
	if (is(name, "CAPTURE_EVENT_TYPE") &&
		n->traced_n < sizeof n->traced / sizeof *n->traced) {
		const char *text = arena_strndup(n->trace->arena, value.at,
			value.len < 40 ? value.len : 40);
		n->traced[n->traced_n] = text;
		n->traced_n += text != NULL;
		return text || arena_err(n->trace->arena, e);
	}
	/* Perhaps with a process before it: "PROCESS_0:…". */
	if (name.len < len || memcmp(name.at + name.len - len, graphs, len))
		return true;
	return fact_list_put(&n->facts, "cuda_graph_trace", value.at,
		       value.len) ||
	       arena_err(n->trace->arena, e);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool traced(struct nsys *n)
{
	bool ok = true;
	if (n->traced_n)
		qsort(n->traced, n->traced_n, sizeof *n->traced, by_text);
	for (uint32_t i = 0; ok && i < n->traced_n; i++)
		ok = fact_list_beside(&n->facts, "traced", n->traced[i],
			strlen(n->traced[i]));
	return ok;
}

/* Each process' own GPUs. */
static bool clocks(struct nsys *n)
{
	bool ok = true;
	for (uint32_t p = 0; ok && p < n->trace->processes_n; p++) {
		struct fact_list own = { .text = &n->text };
		for (uint32_t i = 0; ok && i < n->uses_n; i++) {
			const struct nsys_use *u = &n->uses[i];
			char text[24];
			if (u->process != p || u->clock_mhz <= 0)
				continue;
			int len = snprintf(text, sizeof text, "%lld",
				(long long)u->clock_mhz);
			ok = fact_list_beside(&own, "sm_clock_max_mhz", text,
				(size_t)len);
		}
		ok = ok && fact_list_give(&own, p);
	}
	return ok;
}

bool nsys_facts(struct nsys *n, struct err *e)
{
	if (!nsys_walk(n, "TARGET_INFO_SYSTEM_ENV", columns, COLUMNS,
		    take_system, e) ||
		!nsys_walk(n, "META_DATA_CAPTURE", columns, COLUMNS,
			take_capture, e))
		return false;
	return (traced(n) && fact_list_give_all(&n->facts) && clocks(n)) ||
	       arena_err(n->trace->arena, e);
}
