/* window.h - decides when to record: a state machine without clock, thread or
 * CUPTI calls.
 *
 * Between windows the process behaves as if it had no collector: no CUPTI
 * function is called. The state machine is pure: callers pass the time in and
 * carry out the decisions that it returns. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct collector_options;

/* The options that say when to record: KERNSIFT_TRACE_WINDOW and so on. */
struct schedule {
	bool always; /* no option is set: one window for the whole process */
	int64_t after_ns, once_ns; /* of WINDOW; once_ns 0: not set */
	int64_t every_ns, burst_ns; /* of EVERY; every_ns 0: not set */
	int64_t length_ns; /* length of windows that a trigger opens */
	int64_t kernels; /* a window closes after this many; 0: no limit */
	bool capture; /* cuProfilerStart opens, cuProfilerStop closes */
};

/* Parse START+LENGTH and PERIOD:LENGTH; false if the text has another form. A
 * period must be longer than its window. */
bool schedule_window(struct schedule *s, const char *text);
bool schedule_every(struct schedule *s, const char *text);
/* Reads the schedule from options that options_init() has checked. */
void schedule_from(struct schedule *s, const struct collector_options *o);

/* Why a window opened or closed. The reason is written to the capture file. */
#define WINDOW_WHYS(WHY)                                          \
	WHY(start, "CUDA started")                                \
	WHY(time, "its time came, or passed")                     \
	WHY(trigger, "opened by a signal or file")                \
	WHY(profiler, "cuProfilerStart, cuProfilerStop")          \
	WHY(kernels, "it had as many kernels as it may")          \
	WHY(busy, "another tool holds CUPTI")                     \
	WHY(flood, "records came faster than they could be kept") \
	WHY(fault, "CUPTI failed")                                \
	WHY(exit, "the process ends")
enum window_why {
#define WHY(name, what) WINDOW_##name,
	WINDOW_WHYS(WHY)
#undef WHY
};
const char *window_why_text(enum window_why why);

/* What happened since the last call of window_next(). */
struct window_events {
	bool trigger, profiler_start, profiler_stop; /* requested */
	bool refused; /* answer to ACT_TRY: another tool holds CUPTI */
	bool displaced; /* another tool took CUPTI's buffers */
	bool drained; /* closing is complete */
	bool fatal; /* CUPTI can no longer be used in this process */
	bool flood; /* more records were dropped than kept */
	bool exiting; /* the process ends */
	int64_t kernels; /* in this window so far */
};

enum window_phase { PHASE_ARMED, PHASE_OPEN, PHASE_DRAIN, PHASE_DEAD };
enum window_act {
	ACT_NONE,
	ACT_OPEN, /* a window begins: start NVTX and counters */
	ACT_TRY, /* in a window: open CUPTI; again 30 s after a refusal */
	ACT_LEAVE, /* another tool has CUPTI; the window continues without it */
	ACT_CLOSE,
	ACT_GIVE_UP
};

struct window {
	struct schedule schedule;
	enum window_phase phase;
	enum window_why why; /* reason for the last act */
	int64_t born_ns; /* nanoseconds from 1970, like all times below */
	int64_t opened_ns, closes_ns; /* closes_ns INT64_MAX: no end is set */
	bool tried; /* the window has tried to open CUPTI */
	int64_t retry_ns; /* no ACT_TRY before this time: 30 s after a
			   * refusal */
	int64_t again_ns; /* no window before this time, after a flood */
	int64_t drain_until_ns; /* latest end of PHASE_DRAIN: 2 s after
				 * closing */
	int64_t used_ns; /* EVERY: windows that begin before this are over */
	bool done; /* the single window of `always` or WINDOW is over */
	bool profiling; /* between cuProfilerStart and cuProfilerStop */
	bool endless; /* cuProfilerStop closes the window */
};

void window_init(struct window *w, const struct schedule *s, int64_t now_ns);
/* The next action. The caller performs it, reports the result in the events of
 * its next call, and calls again until the action is ACT_NONE. */
enum window_act window_next(struct window *w, int64_t now_ns,
	const struct window_events *e);
/* Call it when CLOCK_REALTIME was changed by by_ns. Moments that were computed
 * from this process's past are moved by as much. The windows of EVERY use the
 * new time. */
void window_clock_set(struct window *w, int64_t by_ns);
/* The latest time for the next call of window_next(). */
int64_t window_wakes_ns(const struct window *w, int64_t now_ns);
