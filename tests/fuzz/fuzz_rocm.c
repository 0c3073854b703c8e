/* fuzz_rocm.c - fuzzes the decoders of ROCm's three formats with valid
 * structure, which arbitrary bytes would hardly ever have.
 *
 * The first byte selects the format: text after the key that identifies
 * rocprofv3's JSON, an rpd database, or a rocpd database of either layout. The
 * rows of a database are made from the other bytes. Values are a few kinds of
 * numbers and texts, so that rows refer to each other; ids of strings are
 * small. */
#include "analyze.h"
#include "decode.h"
#include <assert.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_MIB = 64, PLAIN_MIB = 64, RUNS = 4, COLUMNS_MOST = 24 };

struct input {
	const uint8_t *at, *end;
};

static uint8_t byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

struct table {
	const char *name, *columns;
};

/* The first byte of a row selects one value of each list. */
static const struct table rpd[] = {
	{ "rocpd_api", "id, pid, tid, start, \"end\", apiName_id, args_id" },
	{ "rocpd_op", "id, gpuId, queueId, start, \"end\", description_id, "
		      "opType_id" },
	{ "rocpd_api_ops", "api_id, op_id" },
	{ "rocpd_kernelapi", "api_ptr_id, gridX, gridY, gridZ, workgroupX, "
			     "workgroupY, workgroupZ, groupSegmentSize, "
			     "kernelName_id" },
	{ "rocpd_copyapi", "api_ptr_id, size, width, height, kind" },
	{ "rocpd_monitor", "deviceType, deviceId, monitorType, start, value" },
	{ "rocpd_string", "id, string" },
	{ NULL, NULL },
};
#define INFO                                                                   \
	{ "rocpd_string_a", "id, string" },                                    \
		{ "rocpd_info_node_a", "id, hostname" },                       \
		{ "rocpd_info_process_a", "id, pid, nid, command" },           \
		{ "rocpd_info_thread_a", "id, tid" },                          \
		{ "rocpd_info_agent_a", "id, pid, type, type_index, name, "    \
					"product_name, extdata" },             \
		{ "rocpd_info_kernel_symbol_a", "id, display_name, "           \
						"kernel_name, "                \
						"arch_vgpr_count" },           \
		{ "rocpd_event_a", "id, stack_id, parent_stack_id, extdata" }, \
		{ "rocpd_info_pmc_a", "id, name, agent_id" },                  \
		{ "rocpd_pmc_event_a", "event_id, pmc_id, value" },            \
	{                                                                      \
		"rocpd_sample_a", "event_id, timestamp"                        \
	}
#define SIZES                                                      \
	"group_segment_size, workgroup_size_x, workgroup_size_y, " \
	"workgroup_size_z, grid_size_x, grid_size_y, grid_size_z, event_id"
static const struct table rows[] = {
	INFO,
	{ "rocpd_region_a", "pid, tid, start, \"end\", name_id, event_id" },
	{ "rocpd_kernel_dispatch_a", "pid, tid, agent_id, kernel_id, queue_id, "
				     "stream_id, start, \"end\", " SIZES },
	{ "rocpd_memory_copy_a", "pid, start, \"end\", name_id, dst_agent_id, "
				 "src_agent_id, size, event_id" },
	{ NULL, NULL },
};
static const struct table tracks[] = {
	INFO,
	{ "rocpd_track_a", "id, pid, tid, agent_id, queue_id, stream_id" },
	{ "rocpd_timestamp_a", "id, value" },
	{ "rocpd_region_a", "track_id, start_id, end_id, name_id, event_id" },
	{ "rocpd_kernel_dispatch_a",
		"track_id, kernel_id, start_id, end_id, " SIZES },
	{ "rocpd_memory_copy_a", "track_id, start_id, end_id, name_id, "
				 "dst_agent_id, src_agent_id, size, event_id" },
	{ NULL, NULL },
};

static const char *const strings[] = { "", "KernelExecution",
	"CopyHostToDevice", "FillBuffer", "Marker", "hipLaunchKernel",
	"hipExtModuleLaunchKernel", "UserMarker", "hsa_init", "ncclAllReduce",
	"roctxThreadRangeA", "roctxMarkA", "relu.kd", "GPU", "gpu", "17.5",
	"/usr/bin/python3 train.py", "{\"message\": \"step\"}",
	"{\"cu_count\": 304, \"mem_banks\": [{\"size_in_bytes\": 9}]}" };
enum { STRINGS = sizeof strings / sizeof *strings };

static void value(struct input *in, sqlite3_stmt *s, int at)
{
	const int64_t second = 1000000000;
	uint8_t kind = byte(in), n = byte(in);
	switch (kind % 8) {
	case 0:
		sqlite3_bind_null(s, at);
		break;
	case 1:
	case 2:
		sqlite3_bind_int64(s, at, n % 32);
		break;
	case 3:
		sqlite3_bind_int64(s, at, 8000 * second + n * 1000);
		break;
	case 4:
		sqlite3_bind_text(s, at, strings[n % STRINGS], -1,
			SQLITE_STATIC);
		break;
	case 5:
		sqlite3_bind_int64(s, at, INT64_MAX - n);
		break;
	case 6:
		sqlite3_bind_double(s, at, n / 4.0 - 8);
		break;
	default:
		sqlite3_bind_blob(s, at, in->at,
			in->end - in->at < n ? (int)(in->end - in->at) : n,
			SQLITE_STATIC);
	}
}

static void insert(struct input *in, sqlite3 *db, const struct table *t)
{
	char sql[600], marks[3 * COLUMNS_MOST] = "?";
	int n = 1;
	sqlite3_stmt *s;
	for (const char *c = t->columns; (c = strchr(c, ',')); c++, n++)
		memcpy(marks + 1 + 2 * (n - 1), ",?", 3);
	snprintf(sql, sizeof sql, "INSERT OR IGNORE INTO %s (%s) VALUES (%s)",
		t->name, t->columns, marks);
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		abort();
	for (int i = 1; i <= n; i++)
		value(in, s, i);
	sqlite3_step(s);
	sqlite3_finalize(s);
}

static unsigned char *database(struct input *in, const struct table *tables,
	size_t *len)
{
	char sql[600];
	int count = 0;
	sqlite3 *db;
	sqlite3_int64 size = 0;
	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		abort();
	for (; tables[count].name; count++) {
		bool keyed = !strncmp(tables[count].columns, "id,", 3);
		snprintf(sql, sizeof sql, "CREATE TABLE %s (%s%s)",
			tables[count].name,
			keyed ? "id INTEGER PRIMARY KEY" : "",
			tables[count].columns + (keyed ? 2 : 0));
		if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
			abort();
	}
	sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
	for (int i = 0; i < STRINGS; i++) {
		snprintf(sql, sizeof sql,
			"INSERT INTO rocpd_string%s VALUES (%d, '%s')",
			tables == rpd ? "" : "_a", i, strings[i]);
		sqlite3_exec(db, sql, NULL, NULL, NULL);
	}
	while (in->at < in->end)
		insert(in, db, &tables[byte(in) % count]);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	unsigned char *bytes = sqlite3_serialize(db, "main", &size, 0);
	sqlite3_close(db);
	*len = (size_t)size;
	return bytes;
}

static unsigned char *text(const struct input *in, size_t *len)
{
	static const char head[] = "{\"rocprofiler-sdk-tool\":";
	size_t n = (size_t)(in->end - in->at);
	unsigned char *bytes = sqlite3_malloc64(sizeof head + n);
	if (!bytes)
		abort();
	memcpy(bytes, head, sizeof head - 1);
	if (n)
		memcpy(bytes + sizeof head - 1, in->at, n);
	*len = sizeof head - 1 + n;
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct table *const databases[] = { rpd, rows, tracks };
	static const struct decode_limits limits = { PLAIN_MIB << 20, 200 };
	static struct catalog *families;
	struct input in = { data, data + size };
	struct arena a = { .ceiling = (size_t)ARENA_MIB << 20 };
	struct err e = { 0 };
	struct source_memory m;
	struct source s;
	struct trace t;
	struct profile p;
	size_t len;

	if (!families && !(families = catalog_new(NULL, &e)))
		abort();
	int which = byte(&in) % 4;
	unsigned char *bytes = which == 3
				       ? text(&in, &len)
				       : database(&in, databases[which], &len);
	source_memory_init(&m, &s, bytes, len);
	bool ok = trace_init(&t, &a) && decode(&s, &limits, NULL, &t, &e);
	assert(ok ? t.processes_n > 0 && !e.code : e.code && e.text[0]);
	for (uint32_t i = 0; ok && i < t.processes_n && i < RUNS; i++)
		ok = profile_from(&t, i, families, NULL, &a, &p, &e);
	arena_release(&a);
	sqlite3_free(bytes);
	return 0;
}
