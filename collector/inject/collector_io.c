/* collector_io.c - the writing thread: what was recorded goes to the scribe. */
#include "clock.h"
#include "collector.h"
#include "fault.h"
#include "collector_state.h"
#include "nvtx.h"
#include "raw.h"
#include "say.h"
#include <stdio.h>

enum { MS = 1000000 };
static const int64_t beat_ns = 100 * MS;
static const int64_t second_ns = 1000 * INT64_C(1000000);

struct writing { /* of this thread alone */
	struct collector *c;
	struct scribe *scribe;
	struct encode *encode;
	struct raw *raw; /* NULL: not asked for */
	struct encoded so_far;
	struct drops drops;
	int64_t beat_ns, tell_ns; /* next */
	int64_t capture; /* that was begun */
	bool stuck; /* told already */
	int windows; /* that were seen to begin */
	bool in_window; /* rows may be written: a file may be made */
};

/* Each buffer that is there; beats go on meanwhile. */
static void beat(struct writing *w, bool idle);

static void take_buffers(struct writing *w)
{
	struct collector *c = w->c;
	struct intake_buffer b;

	while (intake_next(c->cupti.intake, &b)) {
		w->in_window = true; /* also what comes late */
		raw_buffer(w->raw, &b);
		encode_buffer(w->encode, &b, w->scribe, &w->so_far);
		intake_done(c->cupti.intake, &b);
		atomic_store(&c->io.kept,
			w->so_far.kernels + w->so_far.copies + w->so_far.calls +
				w->so_far.graphs + w->so_far.overheads);
		if (clock_read_ns(CLOCK_MONOTONIC) >= w->beat_ns)
			beat(w, false);
	}
}

static void count_drops(struct writing *w)
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
	d->disk += scribe_dropped(w->scribe);
	atomic_fetch_add(&c->io.lost, in.pool + in.shed);
}

/* Besides what the scribe lost: that it cannot write now is known already. And
 * besides samples, which are no reason for a capture. */
static int64_t lost_so_far(const struct drops *d)
{
	return d->cupti + d->pool + d->shed + d->unreadable + d->ring + d->node;
}

/* A call of CUPTI that takes longer than 5 s: nobody waits for it. */
static void watch(struct writing *w)
{
	struct session *session = w->c->cupti.session;
	bool stuck = session && session_stuck_ns(session) > 5 * second_ns;

	if (stuck && !w->stuck) {
		say("a call of CUPTI has not returned for 5 s; the process "
		    "goes on");
		io_tell(w->c, TOLD_stuck, 1, "in a window");
	}
	w->stuck = stuck;
}

/* Once a second of a window, and at its end. */
static void tell(struct writing *w)
{
	count_drops(w);
	rows_clock(w->scribe);
	rows_nodes(w->c, w->scribe);
	rows_told(w->c, w->scribe);
	rows_drops(w->scribe, &w->drops);
}

static void begin_capture(struct writing *w)
{
	struct collector *c = w->c;

	if (scribe_captures(w->scribe) == w->capture)
		return;
	w->capture = scribe_captures(w->scribe);
	if (c->cupti.nodes)
		nodes_again(c->cupti.nodes);
	counters_again(c->counters);
	rows_begin(c, w->scribe);
}

/* Every 100 ms. Outside of windows nothing may be written: that would make a
 * file. */
static void beat(struct writing *w, bool idle)
{
	int64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);

	w->beat_ns = now_ns + beat_ns;
	watch(w);
	if (w->in_window)
		begin_capture(w);
	nvtx_drain(w->scribe, false);
	if (w->in_window)
		counters_drain(w->c->counters, w->scribe);
	if (w->in_window && now_ns >= w->tell_ns) {
		w->tell_ns = now_ns + second_ns;
		tell(w);
	}
	scribe_beat(w->scribe, clock_real_ns(), idle);
}

/* The rest of a window, and its file's end. */
static void end_window(struct writing *w)
{
	struct collector *c = w->c;

	take_buffers(w);
	/* What was lost since the last window's end makes a capture, too. */
	int64_t lost = lost_so_far(&w->drops);
	count_drops(w);
	if (lost_so_far(&w->drops) > lost)
		w->in_window = true;
	bool told = w->in_window;
	if (told) {
		int lent = intake_lent(c->cupti.intake);
		if (lent)
			io_tell(c, TOLD_kept, lent, "");
		begin_capture(w);
		nvtx_drain(w->scribe, true);
		counters_drain(c->counters, w->scribe);
		tell(w);
		if (w->so_far.unknown)
			scribe_note(w->scribe, "record_kind", w->so_far.unknown,
				"CUPTI's");
		w->so_far.unknown = 0;
		rows_end(c, w->scribe);
		w->in_window = false;
	}
	scribe_beat(w->scribe, clock_real_ns(), true);
	if (!told)
		return;
	/* A file that could not be ended is no place to tell of it. */
	count_drops(w);
	if (!w->drops.disk)
		return;
	scribe_beat(w->scribe, clock_real_ns(), true);
	begin_capture(w);
	rows_drops(w->scribe, &w->drops);
	scribe_beat(w->scribe, clock_real_ns(), true);
}

/* One look at everything; false: it was the last. */
static bool turn(struct writing *w)
{
	struct collector *c = w->c;
	struct io *io = &c->io;
	enum io_want want = (enum io_want)atomic_load(&io->want);
	bool drained = atomic_load(&io->drained);

	/* Also one that began and ended since the last turn. */
	int windows = atomic_load(&io->windows);
	if (windows != w->windows)
		w->in_window = true;
	w->windows = windows;
	if (intake_lent(c->cupti.intake) < 0)
		fault_report("more buffers came back than were lent");
	take_buffers(w);
	if (clock_read_ns(CLOCK_MONOTONIC) >= w->beat_ns)
		beat(w, false);
	if (want == IO_END || want == IO_IDLE ||
		(want == IO_CLOSING && !drained &&
			!intake_lent(c->cupti.intake)))
		end_window(w);
	if (want == IO_CLOSING && !drained && !w->in_window) {
		atomic_store(&io->drained, true);
		bell_ring(&c->ctl.bell);
	}
	return want != IO_END;
}

/* Without a session there is no record either. */
static const char *call_name(void *session, bool driver, uint32_t cbid)
{
	return session ? session_call_name(session, driver, cbid) : NULL;
}

static void *io_main(void *ctx)
{
	struct writing w = { .c = ctx };
	struct collector *c = w.c;

	thread_stand_back();
	w.scribe = scribe_new(&c->options);
	w.encode = encode_new(&c->cupti.layout, c->cupti.names, call_name,
		c->cupti.session);
	w.raw = raw_new(&c->options, &c->cupti.layout, c->cupti.names);
	if (!w.scribe || !w.encode) {
		say("there is no memory to write with; nothing is recorded");
		intake_shed(c->cupti.intake, true);
	}
	while (w.scribe && w.encode && !fault_stopped() && turn(&w)) {
		say_write();
		bool open = w.in_window || atomic_load(&c->io.want) != IO_IDLE;
		intake_wait(c->cupti.intake, open ? beat_ns : 10 * second_ns);
	}
	if (w.scribe && !fault_stopped())
		scribe_free(w.scribe);
	raw_free(w.raw);
	say_write();
	atomic_store(&c->io.ended, true);
	bell_ring(&c->ended);
	return NULL;
}

static void wake(void *ctx)
{
	struct collector *c = ctx;
	intake_wake(c->cupti.intake);
}

bool io_start(struct collector *c)
{
	if (c->io.started)
		return true;
	nvtx_wakes(wake, c);
	c->io.started = thread_start("ks-io", io_main, c);
	return c->io.started;
}

void io_want(struct collector *c, enum io_want want)
{
	int now = atomic_load(&c->io.want);

	while (now != IO_END &&
		!atomic_compare_exchange_weak(&c->io.want, &now, (int)want))
		;
	if (c->cupti.intake)
		intake_wake(c->cupti.intake);
}

void io_tell(struct collector *c, enum told what, int64_t n, const char *detail)
{
	pthread_mutex_lock(&c->io.lock);
	if (!c->io.told[what])
		snprintf(c->io.detail[what], sizeof c->io.detail[what], "%s",
			detail);
	c->io.told[what] += n;
	pthread_mutex_unlock(&c->io.lock);
}
