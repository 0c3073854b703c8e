/* control.c - the control thread: opens and closes windows and calls CUPTI. */
#include "clock.h"
#include "collector.h"
#include "collector_state.h"
#include "counters.h"
#include "fault.h"
#include "intake.h"
#include "library.h"
#include "log.h"
#include "names.h"
#include "nodes.h"
#include "nvtx.h"
#include "session.h"
#include "trigger.h"
#include "window.h"

/* The type of `record` is CUpti_Activity **. */
static CUptiResult(CUPTIAPI *next_record)(uint8_t *, size_t, CUpti_Activity **);

static int control_next_untyped(uint8_t *buffer, size_t bytes, void **record)
{
	CUpti_Activity *at = *record;
	CUptiResult r = next_record(buffer, bytes, &at);

	*record = at;
	return (int)r;
}

static bool control_wants_cupti(const struct collector_options *o)
{
	return options_kind(o, "kernel") || options_kind(o, "copy") ||
	       options_kind(o, "launch") || options_kind(o, "overhead");
}

static void control_find(struct collector *c)
{
	struct cupti *u = &c->cupti;
	char sentence[256];

	if (!control_wants_cupti(&c->options))
		return;
	u->usable = library_open(&u->library, c->options.cupti, sentence);
	if (!u->usable) {
		log_line("%s", sentence);
		output_note(c, NOTE_cupti, 1, sentence);
		return;
	}
	next_record = u->library.next_record;
	u->usable = layout_learn(&u->layout, control_next_untyped,
		u->library.version);
	if (!u->usable) {
		log_line("libcupti %u walks no records; it is not used",
			u->library.version);
		output_note(c, NOTE_cupti, 1, "this libcupti walks no records");
	}
}

/* Looks for CUPTI once. False if there is no memory. */
static bool control_cupti_look(struct collector *c)
{
	struct cupti *u = &c->cupti;
	const struct collector_options *o = &c->options;
	const struct session_kinds kinds = { .kernel =
						     options_kind(o, "kernel"),
		.copy = options_kind(o, "copy"),
		.launch = options_kind(o, "launch"),
		.overhead = options_kind(o, "overhead"),
		.graph_whole = *o->graph == 'g' };

	if (u->looked)
		return u->intake != NULL;
	u->looked = true;
	control_find(c);
	u->names = names_new();
	u->nodes = nodes_new();
	/* Half of the memory; the writer takes 3/8, tables and rings the rest. */
	u->intake = u->names ? intake_new(&u->layout, u->names,
				       (size_t)o->memory_mib << 19)
			     : NULL;
	if (u->usable && u->intake && u->nodes)
		u->session = session_new(&u->library, u->intake, u->nodes,
			u->names, &kinds);
	u->usable = u->session;
	return u->intake != NULL;
}

static bool control_cupti_stays(const struct collector *c)
{
	return c->options.capture || c->options.nodes;
}

/* Between windows, if KERNSIFT_TRACE_CAPTURE or _NODES requires it. */
static void control_cupti_listen(struct collector *c)
{
	const int64_t second_ns = 1000000000;
	struct cupti *u = &c->cupti;
	int64_t now_ns = clock_read_ns(CLOCK_MONOTONIC_RAW);
	char sentence[512] = "";

	if (!control_cupti_stays(c) || !u->usable || u->listening ||
		now_ns < u->listen_ns)
		return;
	switch (session_listen(u->session, true, sentence)) {
	case SESSION_OPEN:
		u->listening = true;
		break;
	case SESSION_BUSY:
		u->listen_ns = now_ns + 30 * second_ns;
		break;
	default:
		u->usable = false;
	}
	if (*sentence)
		log_line("%s", sentence);
}

static const int64_t ms_ns = 1000000;
static const int64_t second_ns = 1000 * INT64_C(1000000);
/* A killed process may lose at most one second. This interval and the writer's
 * 100 ms together are shorter. */
static const int64_t flush_ns = 800 * INT64_C(1000000);
enum { FLOOD = 100000 }; /* records per second; fewer are not a flood */

/* Starts everything that a window records, except CUPTI. */
static void control_begin_window(struct collector *c)
{
	struct cupti *u = &c->cupti;

	if (!control_cupti_look(c) || !output_start(c)) {
		log_line_once("there is no memory or no thread to record with");
		return;
	}
	u->kernels_before = intake_kernels(u->intake);
	c->ctl.kept = atomic_load(&c->io.kept);
	c->ctl.lost = atomic_load(&c->io.lost);
	c->ctl.flush_ns = clock_read_ns(CLOCK_MONOTONIC_RAW) + flush_ns;
	intake_shed(u->intake, false);
	atomic_store(&c->io.drained, false);
	atomic_store(&c->io.closed, 0);
	atomic_store(&c->io.opened, (int)c->ctl.window.why + 1);
	atomic_fetch_add(&c->io.windows, 1);
	output_want(c, IO_WINDOW);
	if (options_kind(&c->options, "nvtx"))
		nvtx_record(true);
	counters_start(c->counters);
}

static void control_try_cupti(struct collector *c, struct window_events *e)
{
	struct cupti *u = &c->cupti;
	char sentence[512] = "";
	enum session_end end;

	if (!u->usable || u->open)
		return;
	names_forget_pointers(u->names);
	end = session_open(u->session, sentence);
	u->listening = false;
	u->open = end == SESSION_OPEN;
	e->refused = end == SESSION_BUSY;
	e->fatal = end == SESSION_FATAL;
	u->usable = end == SESSION_OPEN || end == SESSION_BUSY;
	if (!*sentence)
		return;
	log_line("%s", sentence);
	output_note(c, NOTE_cupti, 1, sentence);
}

static void control_leave_cupti(struct collector *c)
{
	struct cupti *u = &c->cupti;

	if (!u->open)
		return;
	u->open = false;
	if (session_close(u->session))
		return;
	u->usable = false;
	log_line("CUPTI failed in a window, and is not used any more");
	output_note(c, NOTE_cupti, 1, "it reported a fatal error");
}

/* CUPTI is no longer usable, because its flushes fail or because it ended
 * itself. In the first case its settings are restored. In the second case the
 * session knows the fatal state and does not call CUPTI. */
static void control_give_up_cupti(struct collector *c)
{
	struct cupti *u = &c->cupti;
	char sentence[512];

	u->usable = u->open = u->listening = false;
	if (!u->session)
		return;
	session_listen(u->session, false, sentence);
	session_close(u->session);
}

static void control_close_window(struct collector *c, bool with_cupti)
{
	enum window_why why = c->ctl.window.why;

	nvtx_record(false);
	if (!c->io.started)
		return;
	if (why == WINDOW_flood)
		intake_shed(c->cupti.intake, true);
	if (with_cupti)
		control_leave_cupti(c);
	counters_stop(c->counters);
	atomic_store(&c->io.closed, (int)why + 1);
	if (why == WINDOW_kernels || why == WINDOW_flood ||
		why == WINDOW_fault) {
		log_line("a window was closed: %s", window_why_text(why));
		output_note(c, NOTE_cut, 1, window_why_text(why));
	}
	output_want(c, IO_CLOSING);
}

static void control_perform(struct collector *c, enum window_act act,
	struct window_events *e)
{
	switch (act) {
	case ACT_OPEN:
		control_begin_window(c);
		break;
	case ACT_TRY:
		control_try_cupti(c, e);
		break;
	case ACT_LEAVE:
		log_line(
			"another tool took CUPTI's buffers; this window continues without");
		output_note(c, NOTE_cupti, 1,
			"another tool took CUPTI's buffers");
		control_leave_cupti(c);
		break;
	case ACT_CLOSE:
		control_close_window(c, true);
		break;
	case ACT_GIVE_UP:
		output_note(c, NOTE_cupti, 1, "it reported a fatal error");
		control_give_up_cupti(c);
		control_close_window(c, false);
		break;
	case ACT_NONE:
		break;
	}
}

static void control_flush(struct collector *c, struct window_events *e)
{
	struct cupti *u = &c->cupti;
	int64_t kept = atomic_load(&c->io.kept);
	int64_t lost = atomic_load(&c->io.lost);
	int64_t more_lost = lost - c->ctl.lost;

	c->ctl.flush_ns = clock_read_ns(CLOCK_MONOTONIC_RAW) + flush_ns;
	e->flood = more_lost > FLOOD && more_lost > kept - c->ctl.kept;
	c->ctl.kept = kept;
	c->ctl.lost = lost;
	if (!u->open)
		return;
	e->fatal = !session_flush(u->session);
	e->displaced = !e->fatal && session_displaced(u->session);
}

/* Detects that the clock was set: it differs by more than it can drift. */
static void control_watch_clock(struct collector *c, int64_t now_ns)
{
	struct control *k = &c->ctl;
	int64_t offset_ns = now_ns - clock_read_ns(CLOCK_MONOTONIC_RAW);
	int64_t by_ns = offset_ns - k->offset_ns;

	k->offset_ns = offset_ns;
	if (by_ns > -second_ns / 2 && by_ns < second_ns / 2)
		return;
	log_line("the clock was set by %lld ms", (long long)(by_ns / ms_ns));
	output_note(c, NOTE_clock, 1, "CLOCK_REALTIME");
	window_clock_set(&k->window, by_ns);
}

static struct window_events control_listen(struct collector *c)
{
	struct control *k = &c->ctl;
	struct cupti *u = &c->cupti;
	struct window_events e = { .exiting = atomic_load(&c->exiting),
		.drained = atomic_load(&c->io.drained) };

	k->trigger_pending |= trigger_pulled(&k->trigger);
	/* A request that arrives while the last window drains is kept. */
	if (k->window.phase != PHASE_DRAIN) {
		e.trigger = k->trigger_pending;
		k->trigger_pending = false;
	}
	if (c->options.capture && u->usable)
		session_profiler(u->session, &e.profiler_start,
			&e.profiler_stop);
	if (k->window.phase != PHASE_OPEN || !u->intake)
		return e;
	e.kernels = intake_kernels(u->intake) - u->kernels_before;
	if (clock_read_ns(CLOCK_MONOTONIC_RAW) >= k->flush_ns)
		control_flush(c, &e);
	return e;
}

static void control_round_of(struct collector *c)
{
	struct control *k = &c->ctl;
	int64_t now_ns = clock_real_ns();
	enum window_act act;

	control_watch_clock(c, now_ns);
	struct window_events e = control_listen(c);
	do {
		enum window_phase before = k->window.phase;
		act = window_next(&k->window, now_ns, &e);
		e = (struct window_events){ .exiting = e.exiting };
		if (before != k->window.phase &&
			k->window.phase == PHASE_ARMED && c->io.started)
			output_want(c, IO_IDLE);
		control_perform(c, act, &e);
		now_ns = clock_real_ns();
	} while (act != ACT_NONE || e.fatal || e.refused);
	if (k->window.phase == PHASE_DEAD && c->io.started)
		output_want(c, IO_IDLE);
	if (k->window.phase == PHASE_ARMED && !e.exiting)
		control_cupti_listen(c);
}

static int64_t control_nap_ns(const struct collector *c)
{
	const struct control *k = &c->ctl;
	int64_t now_ns = clock_real_ns();
	int64_t wakes_ns = window_wakes_ns(&k->window, now_ns);
	int64_t nap = 10 * second_ns; /* wakes up to detect that the clock was
				       * set */

	if (k->window.phase == PHASE_OPEN)
		nap = 100 * ms_ns;
	else if (k->trigger.path)
		nap = 250 * ms_ns;
	if (c->options.capture && c->cupti.usable)
		nap = 10 * ms_ns;
	return wakes_ns < now_ns + nap ? wakes_ns - now_ns : nap;
}

static void control_end(struct collector *c)
{
	atomic_store(&c->ctl.ended, true);
	thread_event_raise(&c->ended);
}

static void *control_main(void *ctx)
{
	struct collector *c = ctx;

	thread_begin("ks-ctl");
	while (!fault_stopped() && !atomic_load(&c->exiting)) {
		uint32_t seen = thread_event_seen(&c->ctl.event);
		control_round_of(c);
		log_flush();
		if (!atomic_load(&c->exiting))
			thread_event_wait(&c->ctl.event, seen,
				control_nap_ns(c));
	}
	if (fault_stopped()) {
		nvtx_record(false);
		control_leave_cupti(c);
	} else {
		control_round_of(c);
	}
	output_want(c, IO_END);
	if (!c->io.started)
		log_line("no window was opened; nothing is recorded");
	log_flush();
	control_end(c);
	return NULL;
}

bool control_start(struct collector *c)
{
	struct control *k = &c->ctl;
	struct schedule s;
	int64_t now_ns = clock_real_ns();

	schedule_from(&s, &c->options);
	window_init(&k->window, &s, now_ns);
	k->offset_ns = now_ns - clock_read_ns(CLOCK_MONOTONIC_RAW);
	if (*c->options.trigger &&
		trigger_from(&k->trigger, c->options.trigger) &&
		!trigger_start(&k->trigger, &k->event)) {
		log_line("the program has a handler of its own for "
			 "KERNSIFT_TRACE_TRIGGER's signal, which stays");
	}
	if (control_cupti_stays(c))
		control_cupti_look(c);
	/* Launches right after cuInit must be recorded, and the thread inside
	 * cuInit may call CUPTI. */
	control_round_of(c);
	if (thread_start(control_main, c))
		return true;
	log_line("there is no thread to control windows with; nothing is "
		 "recorded");
	nvtx_record(false);
	control_leave_cupti(c);
	output_want(c, IO_END);
	control_end(c);
	return false;
}
