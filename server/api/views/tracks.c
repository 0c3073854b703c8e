/* tracks.c - pids, tids, and the events that name them. */
#include "tracks.h"
#include "json_text.h"
#include <string.h>

/* Linux gives pids below 2^22. Device numbers are small, and host processes
 * below that are one of a container's few. */
enum { PID_NONE = 1 << 22, PID_GPU = PID_NONE + 2, SMALL = 1024 };

void tracks_init(struct tracks *t, struct buf *out, int64_t pid)
{
	*t = (struct tracks){ .out = out,
		.host_pid = pid < 0 ? PID_NONE : pid };
}

int64_t tracks_gpu(const struct tracks *t, int64_t device)
{
	if (device < 0)
		return PID_GPU - 1;
	if (device < SMALL && t->host_pid >= SMALL)
		return device;
	return device <= INT32_MAX ? PID_GPU + device : device;
}

void tracks_event(struct tracks *t, const char *ph, const char *cat)
{
	buf_puts(t->out, t->any ? ",\n{" : "\n{");
	t->any = true;
	json_text_key(t->out, "ph");
	json_text_string(t->out, ph, strlen(ph));
	if (!cat)
		return;
	json_text_key(t->out, "cat");
	json_text_string(t->out, cat, strlen(cat));
}

/* An event that names what its pid and tid, which follow, stand for. */
static void naming(struct tracks *t, const char *what)
{
	tracks_event(t, "M", NULL);
	json_text_key(t->out, "name");
	json_text_string(t->out, what, strlen(what));
}

static void named(struct tracks *t, const char *name, size_t len)
{
	json_text_key(t->out, "args");
	json_text_open(t->out, '{');
	json_text_key(t->out, "name");
	json_text_string(t->out, name, len);
	json_text_close(t->out, '}');
	json_text_close(t->out, '}');
}

void tracks_process(struct tracks *t, int64_t pid, const char *name)
{
	naming(t, "process_name");
	json_text_key(t->out, "pid");
	json_text_whole(t->out, pid);
	json_text_key(t->out, "tid");
	json_text_whole(t->out, 0);
	named(t, name, strlen(name));
}

/* Whether a track is met for the first time, as far as is remembered. */
static bool first(struct tracks *t, uint64_t a, uint64_t b)
{
	uint64_t h = (a * 0x9E3779B97F4A7C15u ^ b) * 0xD6E8FEB86659FD93u;
	h ^= h >> 32;
	h += !h; /* 0 is an empty place */
	uint64_t *at = &t->named[h % TRACKS_NAMED];
	bool met = *at == h;
	*at = h;
	return !met;
}

void tracks_meet_stream(struct tracks *t, int64_t device, int64_t stream)
{
	struct buf name;
	if (!first(t, (uint64_t)device, (uint64_t)stream << 1))
		return;
	if (device < 0)
		tracks_process(t, tracks_gpu(t, -1), "GPU");
	buf_init(&name, 64);
	buf_printf(&name, "stream %lld", (long long)stream);
	naming(t, "thread_name");
	tracks_on_stream(t, device, stream);
	named(t, name.at, name.len);
	buf_release(&name);
}

/* A number that a reader of JSON can hold, written as one writes it. */
static bool numeric(const char *s, size_t len)
{
	return len && len <= 15 && strspn(s, "0123456789") == len &&
	       (*s != '0' || len == 1);
}

void tracks_meet_thread(struct tracks *t, int64_t cell, const char *thread,
	size_t len)
{
	if (!len || numeric(thread, len) ||
		!first(t, (uint64_t)cell, UINT64_C(1)))
		return;
	naming(t, "thread_name");
	tracks_on_thread(t, t->host_pid, thread, len);
	named(t, thread, len);
}

void tracks_on_stream(struct tracks *t, int64_t device, int64_t stream)
{
	json_text_key(t->out, "pid");
	json_text_whole(t->out, tracks_gpu(t, device));
	json_text_key(t->out, "tid");
	json_text_whole(t->out, stream);
}

void tracks_on_thread(struct tracks *t, int64_t pid, const char *thread,
	size_t len)
{
	json_text_key(t->out, "pid");
	json_text_whole(t->out, pid);
	json_text_key(t->out, "tid");
	if (numeric(thread, len))
		json_text_raw(t->out, thread, len);
	else
		json_text_string(t->out, thread, len);
}
