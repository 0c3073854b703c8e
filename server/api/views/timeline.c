/* timeline.c - what stands around a timeline's events. */
#include "timeline.h"
#include "json_text.h"
#include <string.h>

static void text(struct buf *b, const char *key, const char *value)
{
	json_text_key(b, key);
	json_text_string(b, value, strlen(value));
}

static void told(struct buf *b, const char *key, int64_t value)
{
	if (value < 0)
		return;
	json_text_key(b, key);
	json_text_whole(b, value);
}

static void devices_list(struct buf *b, const struct profile_device *d,
	uint32_t n)
{
	json_text_key(b, "deviceProperties");
	json_text_open(b, '[');
	for (uint32_t i = 0; i < n; i++) {
		json_text_open(b, '{');
		told(b, "id", d[i].number);
		if (d[i].name)
			text(b, "name", d[i].name);
		told(b, "totalGlobalMem", d[i].memory_bytes);
		told(b, "computeMajor", d[i].compute_major);
		told(b, "computeMinor", d[i].compute_minor);
		told(b, "numSms", d[i].sm_count);
		json_text_close(b, '}');
	}
	json_text_close(b, ']');
}

/* What stands before the events. */
static void head(struct timeline_event *ev, const struct run_row *run,
	const struct profile_device *d, uint32_t n)
{
	const struct kst_about *about = kst_reader_about(ev->reader);
	struct buf *b = ev->tracks.out;
	json_text_open(b, '{');
	text(b, "displayTimeUnit", "ns");
	if (about->base_is_utc)
		told(b, "baseTimeNanoseconds", about->base_ns);
	if (run->framework && !strcmp(run->framework, "pytorch"))
		told(b, "schemaVersion", 1);
	devices_list(b, d, n);
	json_text_key(b, "distributedInfo");
	json_text_open(b, '{');
	told(b, "rank", run->rank);
	told(b, "world_size", run->world_size);
	json_text_close(b, '}');
	if (run->host)
		text(b, "host_name", run->host);
	json_text_key(b, "traceEvents");
	json_text_open(b, '[');
}

static void processes(struct timeline_event *ev, const struct run_row *run,
	const struct profile_device *d, uint32_t n)
{
	struct tracks *k = &ev->tracks;
	if (run->process_name)
		tracks_process(k, k->host_pid, run->process_name);
	for (uint32_t i = 0; i < n; i++) {
		struct buf name;
		if (d[i].number < 0)
			continue;
		buf_init(&name, 1 << 20);
		buf_printf(&name, "GPU %d", d[i].number);
		if (d[i].name)
			buf_printf(&name, " (%s)", d[i].name);
		tracks_process(k, tracks_gpu(k, d[i].number), name.at);
		buf_release(&name);
	}
}

void timeline_begin(struct timeline_event *ev, const struct run_row *run,
	const struct profile_device *devices, uint32_t n)
{
	head(ev, run, devices, n);
	processes(ev, run, devices, n);
}

void timeline_end(struct buf *b)
{
	buf_puts(b, "\n]}\n");
}
