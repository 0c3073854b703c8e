/* window.c - decides when a recording window opens and closes. */
#include "window.h"
#include "options.h"

bool schedule_window(struct schedule *s, const char *text)
{
	const char *at = text;

	/* 0+LENGTH: the only case in which START is not a duration. */
	if (at[0] == '0' && at[1] == '+') {
		s->after_ns = 0;
		at++;
	} else {
		s->after_ns = duration_ns(text, &at);
	}
	if (s->after_ns < 0 || *at != '+')
		return false;
	s->once_ns = duration_ns(at + 1, NULL);
	return s->once_ns > 0;
}

bool schedule_every(struct schedule *s, const char *text)
{
	const char *at;

	s->every_ns = duration_ns(text, &at);
	if (s->every_ns < 0 || *at != ':')
		return false;
	s->burst_ns = duration_ns(at + 1, NULL);
	return s->burst_ns > 0 && s->burst_ns < s->every_ns;
}

void schedule_from(struct schedule *s, const struct collector_options *o)
{
	*s = (struct schedule){ .length_ns = duration_ns(o->length, NULL),
		.kernels = o->kernels,
		.capture = o->capture,
		.always = !*o->window && !*o->every && !*o->trigger &&
			  !o->capture };
	if (*o->window)
		schedule_window(s, o->window);
	if (*o->every)
		schedule_every(s, o->every);
}

enum { SECOND = 1000000000 };
static const int64_t back_off_ns = 30 * (int64_t)SECOND;
static const int64_t drain_ns = 2 * (int64_t)SECOND;

const char *window_why_text(enum window_why why)
{
	static const char *const texts[] = {
#define WHY(name, what) [WINDOW_##name] = what,
		WINDOW_WHYS(WHY)
#undef WHY
	};
	return texts[why];
}

void window_init(struct window *w, const struct schedule *s, int64_t now_ns)
{
	*w = (struct window){ .schedule = *s,
		.born_ns = now_ns,
		.closes_ns = INT64_MAX };
}

/* When a window that should be open now has to close, according to the
 * schedule. 0: no window should be open now. */
static int64_t window_wanted_until(const struct window *w, int64_t now_ns,
	enum window_why *why)
{
	const struct schedule *s = &w->schedule;
	int64_t until = 0;

	*why = WINDOW_time;
	if (s->every_ns) {
		int64_t slot_ns = now_ns - now_ns % s->every_ns;
		if (slot_ns >= w->used_ns && now_ns < slot_ns + s->burst_ns)
			until = slot_ns + s->burst_ns;
	}
	if (s->once_ns && !w->done) {
		int64_t start_ns = w->born_ns + s->after_ns;
		int64_t end_ns = start_ns + s->once_ns;
		if (now_ns >= start_ns && now_ns < end_ns && end_ns > until)
			until = end_ns;
	}
	if (w->profiling) {
		*why = WINDOW_profiler;
		until = INT64_MAX;
	}
	if (s->always && !w->done) {
		*why = WINDOW_start;
		until = INT64_MAX;
	}
	return until;
}

static enum window_act window_open_at(struct window *w, int64_t now_ns,
	int64_t until_ns, enum window_why why)
{
	w->phase = PHASE_OPEN;
	w->why = why;
	w->opened_ns = now_ns;
	w->closes_ns = until_ns;
	w->endless = why == WINDOW_profiler;
	w->tried = false;
	return ACT_OPEN;
}

static enum window_act window_when_armed(struct window *w, int64_t now_ns,
	const struct window_events *e)
{
	enum window_why why;
	int64_t until = window_wanted_until(w, now_ns, &why);

	if (e->exiting || now_ns < w->again_ns)
		return ACT_NONE;
	if (e->trigger && now_ns + w->schedule.length_ns > until) {
		why = WINDOW_trigger;
		until = now_ns + w->schedule.length_ns;
	}
	return until ? window_open_at(w, now_ns, until, why) : ACT_NONE;
}

/* Makes sure that the request which opened this window does not open
 * another. */
static void window_use_up(struct window *w, int64_t now_ns)
{
	w->used_ns = now_ns;
	w->done = w->done || w->schedule.always ||
		  now_ns >= w->born_ns + w->schedule.after_ns;
	w->profiling = false;
}

static enum window_act window_close_at(struct window *w, int64_t now_ns,
	enum window_why why)
{
	w->phase = PHASE_DRAIN;
	w->why = why;
	w->drain_until_ns = now_ns + drain_ns;
	if (why == WINDOW_flood && w->schedule.always)
		w->again_ns = now_ns + back_off_ns;
	else if (why != WINDOW_time && why != WINDOW_profiler)
		window_use_up(w, now_ns);
	return ACT_CLOSE;
}

/* Whether the window uses CUPTI, and whether CUPTI was opened. */
static enum window_act window_try_cupti(struct window *w, int64_t now_ns,
	const struct window_events *e)
{
	if (e->refused || e->displaced) {
		w->why = WINDOW_busy;
		w->retry_ns = now_ns + back_off_ns;
		w->tried = false;
		return e->displaced ? ACT_LEAVE : ACT_NONE;
	}
	if (w->tried || now_ns < w->retry_ns)
		return ACT_NONE;
	w->tried = true;
	return ACT_TRY;
}

static enum window_act window_when_open(struct window *w, int64_t now_ns,
	const struct window_events *e)
{
	enum window_why why;
	int64_t until = window_wanted_until(w, now_ns, &why);

	if (e->exiting)
		return window_close_at(w, now_ns, WINDOW_exit);
	if (w->schedule.kernels && e->kernels >= w->schedule.kernels)
		return window_close_at(w, now_ns, WINDOW_kernels);
	if (e->flood)
		return window_close_at(w, now_ns, WINDOW_flood);
	if (e->trigger && now_ns + w->schedule.length_ns > until)
		until = now_ns + w->schedule.length_ns;
	/* cuProfilerStop only ends windows that cuProfilerStart opened. */
	if (w->endless && !w->profiling) {
		w->endless = false;
		if (!until)
			return window_close_at(w, now_ns, WINDOW_profiler);
		w->closes_ns = until;
	}
	if (w->profiling)
		w->endless = true;
	if (until > w->closes_ns)
		w->closes_ns = until;
	if (now_ns >= w->closes_ns)
		return window_close_at(w, now_ns, WINDOW_time);
	return window_try_cupti(w, now_ns, e);
}

/* If both were called since the last call, the state does not change. */
static void window_update_profiler(struct window *w,
	const struct window_events *e)
{
	if (w->schedule.capture && e->profiler_start != e->profiler_stop)
		w->profiling = e->profiler_start;
}

enum window_act window_next(struct window *w, int64_t now_ns,
	const struct window_events *e)
{
	if (w->phase == PHASE_DEAD)
		return ACT_NONE;
	if (e->fatal) {
		w->phase = PHASE_DEAD;
		w->why = WINDOW_fault;
		return ACT_GIVE_UP;
	}
	window_update_profiler(w, e);
	if (w->phase == PHASE_OPEN)
		return window_when_open(w, now_ns, e);
	if (w->phase == PHASE_DRAIN && !e->drained &&
		now_ns < w->drain_until_ns)
		return ACT_NONE;
	w->phase = PHASE_ARMED;
	return window_when_armed(w, now_ns, e);
}

void window_clock_set(struct window *w, int64_t by_ns)
{
	int64_t *const own[] = { &w->born_ns, &w->opened_ns, &w->retry_ns,
		&w->again_ns, &w->drain_until_ns };

	for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
		*own[i] += by_ns;
	if (w->closes_ns != INT64_MAX)
		w->closes_ns += by_ns;
}

/* When the next window may open, while none is open. */
static int64_t window_opens_ns(const struct window *w, int64_t now_ns)
{
	const struct schedule *s = &w->schedule;
	int64_t from = now_ns > w->again_ns ? now_ns : w->again_ns;
	int64_t at = INT64_MAX;

	if (w->profiling || (s->always && !w->done))
		return from;
	if (s->once_ns && !w->done) {
		int64_t start_ns = w->born_ns + s->after_ns;
		if (from < start_ns)
			at = start_ns;
		else if (from < start_ns + s->once_ns)
			at = from;
	}
	if (s->every_ns) {
		int64_t slot_ns = from - from % s->every_ns;
		if (slot_ns < w->used_ns || from >= slot_ns + s->burst_ns)
			slot_ns += s->every_ns;
		if (slot_ns < from)
			slot_ns = from;
		if (slot_ns < at)
			at = slot_ns;
	}
	return at;
}

int64_t window_wakes_ns(const struct window *w, int64_t now_ns)
{
	switch (w->phase) {
	case PHASE_ARMED:
		return window_opens_ns(w, now_ns);
	case PHASE_OPEN:
		return w->tried || w->closes_ns < w->retry_ns ? w->closes_ns
							      : w->retry_ns;
	case PHASE_DRAIN:
		return w->drain_until_ns;
	default:
		return INT64_MAX;
	}
}
