/* output.c - the output thread: empties buffers and rings and writes rows. */
#include "clock.h"
#include "capture_writer.h"
#include "collector.h"
#include "collector_state.h"
#include "counters.h"
#include "encode.h"
#include "fault.h"
#include "intake.h"
#include "log.h"
#include "nodes.h"
#include "nvtx.h"
#include "process_info.h"
#include "raw.h"
#include "session.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void output_rows_clock(struct capture_writer *s);

static int64_t output_own_text(struct capture_writer *s, const char *text)
{
	return capture_writer_text(s, TEXT_OWN, 0, text, strlen(text));
}

static void output_fact(struct capture_writer *s, const char *name,
	const char *value)
{
	if (*value)
		capture_writer_row(s, KST_fact,
			&(struct kst_fact){ .name = output_own_text(s, name),
				.value = output_own_text(s, value) });
}

/* Reads a file of /proc, which has no size. The text ends in NUL. */
static void output_slurp(const char *path, char *to, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, to, size - 1);

	to[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

/* The text after the first "NAME : " of /proc/cpuinfo. */
static void output_cpu_name(char *to, size_t size)
{
	char text[2048];
	char *at;

	output_slurp("/proc/cpuinfo", text, sizeof text);
	at = strstr(text, "model name");
	at = at ? strchr(at, ':') : NULL;
	if (at)
		at += 1 + strspn(at + 1, " \t");
	snprintf(to, size, "%.*s", at ? (int)strcspn(at, "\n") : 0,
		at ? at : "");
}

static void output_rows_process(struct collector *c, struct capture_writer *s)
{
	const char *name = process_info_base(c->program);
	char host[256] = "";

	gethostname(host, sizeof host - 1);
	capture_writer_row(s, KST_process,
		&(struct kst_process){ .pid = c->pid,
			.name = capture_writer_text(s, TEXT_PATH, 0, name,
				strlen(name)),
			.rank = c->rank.rank,
			.world_size = c->rank.size,
			.host = capture_writer_text(s, TEXT_PATH, 0, host,
				strlen(host)) });
}

static void output_rows_begin(struct collector *c, struct capture_writer *s)
{
	const struct capture_writer_facts facts = { c->cupti.library.version,
		c->cupti.library.driver, c->options.graph };
	int opened = atomic_load(&c->io.opened);
	struct utsname os;
	char text[4096];
	char value[256];

	output_rows_process(c, s);
	capture_writer_facts(s, &facts);
	if (!uname(&os)) {
		snprintf(value, sizeof value, "%.100s %.100s", os.sysname,
			os.release);
		output_fact(s, "os", value);
	}
	output_cpu_name(value, sizeof value);
	output_fact(s, "cpu", value);
	output_slurp("/proc/self/status", text, sizeof text);
	process_info_pids(text, value, sizeof value);
	if (strchr(value, ' '))
		output_fact(s, "pids", value);
	output_fact(s, "kinds", c->options.kinds);
	if (opened)
		output_fact(s, "window_opened",
			window_why_text((enum window_why)(opened - 1)));
	output_rows_clock(s);
}

static void output_rows_end(struct collector *c, struct capture_writer *s)
{
	int closed = atomic_load(&c->io.closed);

	if (closed)
		output_fact(s, "window_closed",
			window_why_text((enum window_why)(closed - 1)));
	output_rows_clock(s);
}

static void output_rows_clock(struct capture_writer *s)
{
	struct clock_pair p = clock_pair_read();

	capture_writer_row(s, KST_clock,
		&(struct kst_clock){ .start_ns = p.real_ns,
			.realtime_ns = p.real_ns,
			.monotonic_ns = p.monotonic_ns,
			.boottime_ns = p.boot_ns });
}

static void output_drop(struct capture_writer *s, const char *where,
	int64_t *count)
{
	if (*count > 0 &&
		capture_writer_row(s, KST_drop,
			&(struct kst_drop){ .start_ns = clock_real_ns(),
				.where = output_own_text(s, where),
				.count = *count }))
		*count = 0;
}

/* Records and ranges that were lost: counted, not written yet. */
struct drops {
	int64_t cupti, pool, shed, unreadable, ring, node, counter, disk;
};

static void output_rows_drops(struct capture_writer *s, struct drops *d)
{
	output_drop(s, "cupti", &d->cupti);
	output_drop(s, "pool", &d->pool);
	output_drop(s, "shed", &d->shed);
	output_drop(s, "unreadable", &d->unreadable);
	output_drop(s, "ring", &d->ring);
	output_drop(s, "node", &d->node);
	output_drop(s, "counter", &d->counter);
	output_drop(s, "disk", &d->disk);
}

static void output_rows_notes(struct collector *c, struct capture_writer *s)
{
	static const char *const codes[NOTES] = {
		[NOTE_option] = "option_default",
		[NOTE_cupti] = "cupti_refused",
		[NOTE_stuck] = "cupti_stuck",
		[NOTE_kept] = "cupti_kept",
		[NOTE_cut] = "window_cut",
		[NOTE_clock] = "clock_set",
	};

	for (int i = 0; i < NOTES; i++) {
		char detail[sizeof c->io.detail[0]];
		pthread_mutex_lock(&c->io.lock);
		int64_t n = c->io.notes[i];
		c->io.notes[i] = 0;
		memcpy(detail, c->io.detail[i], sizeof detail);
		pthread_mutex_unlock(&c->io.lock);
		if (n > 0)
			capture_writer_note(s, codes[i], n, detail);
	}
}

static bool output_node_row(void *ctx, uint64_t node, const uint32_t *stack,
	int depth)
{
	struct capture_writer *s = ctx;

	for (int i = 0; i < depth; i++) {
		size_t len;
		const char *text = nvtx_text(stack[i], &len);
		const char *domain = nvtx_domain(stack[i]);
		if (!capture_writer_row(s, KST_node,
			    &(struct kst_node){ .node = (int64_t)node,
				    .depth = i,
				    .name = capture_writer_text(s, TEXT_NVTX, 0,
					    text, len),
				    .domain = capture_writer_text(s, TEXT_NVTX,
					    0, domain, strlen(domain)) }))
			return false;
	}
	return true;
}

static void output_rows_nodes(struct collector *c, struct capture_writer *s)
{
	if (c->cupti.nodes)
		nodes_write(c->cupti.nodes, output_node_row, s);
}

enum { MS = 1000000 };
static const int64_t beat_ns = 100 * MS;
static const int64_t second_ns = 1000 * INT64_C(1000000);

struct writing { /* used by this thread only */
	struct collector *c;
	struct capture_writer *writer;
	struct encode *encode;
	struct raw *raw; /* NULL: not enabled */
	struct encoded so_far;
	struct drops drops;
	int64_t beat_ns, tell_ns; /* times of the next ones */
	int64_t capture; /* number of the capture that was begun */
	bool stuck; /* reported already */
	int windows; /* number of windows seen so far */
	bool in_window; /* rows may be written and a file may be created */
};

/* Handles all returned buffers. Calls output_beat() between them. */
static void output_beat(struct writing *w, bool idle);

static void output_take_buffers(struct writing *w)
{
	struct collector *c = w->c;
	struct intake_buffer b;

	while (intake_next(c->cupti.intake, &b)) {
		w->in_window = true; /* also for buffers that arrive late */
		raw_buffer(w->raw, &b);
		encode_buffer(w->encode, &b, w->writer, &w->so_far);
		intake_done(c->cupti.intake, &b);
		atomic_store(&c->io.kept,
			w->so_far.kernels + w->so_far.copies + w->so_far.calls +
				w->so_far.graphs + w->so_far.overheads);
		if (clock_read_ns(CLOCK_MONOTONIC) >= w->beat_ns)
			output_beat(w, false);
	}
}

static void output_count_drops(struct writing *w)
{
	struct collector *c = w->c;
	struct intake_drops in = intake_dropped(c->cupti.intake);
	struct drops *d = &w->drops;

	d->cupti += c->cupti.session ? session_dropped(c->cupti.session) : 0;
	d->pool += in.pool;
	d->shed += in.shed;
	d->unreadable += in.unreadable;
	d->ring += nvtx_dropped();
	d->node += c->cupti.nodes ? nodes_lost(c->cupti.nodes) : 0;
	d->counter += counters_dropped(c->counters);
	d->disk += capture_writer_dropped(w->writer);
	atomic_fetch_add(&c->io.lost, in.pool + in.shed);
}

/* Excludes what the writer lost: it cannot write now, and that is known
 * already. Excludes samples, because a capture is not started for lost
 * samples. */
static int64_t output_lost_so_far(const struct drops *d)
{
	return d->cupti + d->pool + d->shed + d->unreadable + d->ring + d->node;
}

/* Reports a call of CUPTI that takes longer than 5 s. No thread waits for
 * it. */
static void output_watch(struct writing *w)
{
	struct session *session = w->c->cupti.session;
	bool stuck = session && session_stuck_ns(session) > 5 * second_ns;

	if (stuck && !w->stuck) {
		log_line(
			"a call of CUPTI has not returned for 5 s; the process continues");
		output_note(w->c, NOTE_stuck, 1, "in a window");
	}
	w->stuck = stuck;
}

/* Called once per second of a window and at its end. */
static void output_report_lost(struct writing *w)
{
	output_count_drops(w);
	output_rows_clock(w->writer);
	output_rows_nodes(w->c, w->writer);
	output_rows_notes(w->c, w->writer);
	output_rows_drops(w->writer, &w->drops);
}

static void output_begin_capture(struct writing *w)
{
	struct collector *c = w->c;

	if (capture_writer_captures(w->writer) == w->capture)
		return;
	w->capture = capture_writer_captures(w->writer);
	if (c->cupti.nodes)
		nodes_again(c->cupti.nodes);
	counters_again(c->counters);
	output_rows_begin(c, w->writer);
}

/* Called every 100 ms. Outside of windows no row may be written, because a row
 * would create a file. */
static void output_beat(struct writing *w, bool idle)
{
	int64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);

	w->beat_ns = now_ns + beat_ns;
	output_watch(w);
	if (w->in_window)
		output_begin_capture(w);
	nvtx_drain(w->writer, false);
	if (w->in_window)
		counters_drain(w->c->counters, w->writer);
	if (w->in_window && now_ns >= w->tell_ns) {
		w->tell_ns = now_ns + second_ns;
		output_report_lost(w);
	}
	capture_writer_beat(w->writer, clock_real_ns(), idle);
}

/* Writes the rest of a window and ends its file. */
static void output_end_window(struct writing *w)
{
	struct collector *c = w->c;

	output_take_buffers(w);
	/* Records that were lost since the end of the last window also start a
	 * capture. */
	int64_t lost = output_lost_so_far(&w->drops);
	output_count_drops(w);
	if (output_lost_so_far(&w->drops) > lost)
		w->in_window = true;
	bool in_window = w->in_window;
	if (in_window) {
		int lent = intake_lent(c->cupti.intake);
		if (lent)
			output_note(c, NOTE_kept, lent, "");
		output_begin_capture(w);
		nvtx_drain(w->writer, true);
		counters_drain(c->counters, w->writer);
		output_report_lost(w);
		if (w->so_far.unknown)
			capture_writer_note(w->writer, "record_kind",
				w->so_far.unknown, "CUPTI's");
		w->so_far.unknown = 0;
		output_rows_end(c, w->writer);
		w->in_window = false;
	}
	capture_writer_beat(w->writer, clock_real_ns(), true);
	if (!in_window)
		return;
	/* If a file could not be ended, a drop row about it needs another
	 * file. */
	output_count_drops(w);
	if (!w->drops.disk)
		return;
	capture_writer_beat(w->writer, clock_real_ns(), true);
	output_begin_capture(w);
	output_rows_drops(w->writer, &w->drops);
	capture_writer_beat(w->writer, clock_real_ns(), true);
}

/* Does all work that is waiting. False if this was the last time. */
static bool output_step(struct writing *w)
{
	struct collector *c = w->c;
	struct output *io = &c->io;
	enum output_want want = (enum output_want)atomic_load(&io->want);
	bool drained = atomic_load(&io->drained);

	/* Includes a window that began and ended since the last step. */
	int windows = atomic_load(&io->windows);
	if (windows != w->windows)
		w->in_window = true;
	w->windows = windows;
	if (intake_lent(c->cupti.intake) < 0)
		fault_report("more buffers came back than were lent");
	output_take_buffers(w);
	if (clock_read_ns(CLOCK_MONOTONIC) >= w->beat_ns)
		output_beat(w, false);
	if (want == IO_END || want == IO_IDLE ||
		(want == IO_CLOSING && !drained &&
			!intake_lent(c->cupti.intake)))
		output_end_window(w);
	if (want == IO_CLOSING && !drained && !w->in_window) {
		atomic_store(&io->drained, true);
		thread_event_raise(&c->ctl.event);
	}
	return want != IO_END;
}

/* Without a session there are no records. */
static const char *output_call_name(void *session, bool driver, uint32_t cbid)
{
	return session ? session_call_name(session, driver, cbid) : NULL;
}

static void *output_main(void *ctx)
{
	struct writing w = { .c = ctx };
	struct collector *c = w.c;

	thread_begin("ks-io");
	w.writer = capture_writer_new(&c->options);
	w.encode = encode_new(&c->cupti.layout, c->cupti.names,
		output_call_name, c->cupti.session);
	w.raw = raw_new(&c->options, &c->cupti.layout, c->cupti.names);
	if (!w.writer || !w.encode) {
		log_line("there is no memory to write with; nothing is "
			 "recorded");
		intake_shed(c->cupti.intake, true);
	}
	while (w.writer && w.encode && !fault_stopped() && output_step(&w)) {
		log_flush();
		bool open = w.in_window || atomic_load(&c->io.want) != IO_IDLE;
		intake_wait(c->cupti.intake, open ? beat_ns : 10 * second_ns);
	}
	if (w.writer && !fault_stopped())
		capture_writer_free(w.writer);
	raw_free(w.raw);
	log_flush();
	atomic_store(&c->io.ended, true);
	thread_event_raise(&c->ended);
	return NULL;
}

static void output_wake_up(void *ctx)
{
	struct collector *c = ctx;
	intake_wake(c->cupti.intake);
}

bool output_start(struct collector *c)
{
	if (c->io.started)
		return true;
	nvtx_wakes(output_wake_up, c);
	c->io.started = thread_start(output_main, c);
	return c->io.started;
}

void output_want(struct collector *c, enum output_want want)
{
	int now = atomic_load(&c->io.want);

	while (now != IO_END &&
		!atomic_compare_exchange_weak(&c->io.want, &now, (int)want))
		;
	if (c->cupti.intake)
		intake_wake(c->cupti.intake);
}

void output_note(struct collector *c, enum output_note what, int64_t n,
	const char *detail)
{
	pthread_mutex_lock(&c->io.lock);
	if (!c->io.notes[what])
		snprintf(c->io.detail[what], sizeof c->io.detail[what], "%s",
			detail);
	c->io.notes[what] += n;
	pthread_mutex_unlock(&c->io.lock);
}
