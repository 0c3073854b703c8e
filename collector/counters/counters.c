/* counters.c - the sampling threads and their windows. */
#include "counters_state.h"
#include "say.h"
#include <stdlib.h>
#include <time.h>
#include <string.h>
#include <sys/mman.h>

enum {
	HOST_ROOM = 1 << 11,
	NVML_ROOM = 1 << 13,
	PCIE_ROOM = 1 << 10,
	HZ_MAX = 1000,
	STOP_MS = 250,
	READY_MS = 20,
};

static bool stopping(void *ctx)
{
	const struct sampler *s = ctx;
	return atomic_load_explicit(&s->stop, memory_order_acquire);
}

/* Until `due_ns` of the steady clock, or until it is to stop. */
static void rest(struct sampler *s, int64_t due_ns)
{
	int64_t left_ns;
	for (;;) {
		uint32_t seen = bell_seen(&s->wake);
		if (stopping(s))
			return;
		left_ns = due_ns - moment_now(NULL).steady_ns;
		if (left_ns <= 0)
			return;
		bell_wait(&s->wake, seen, left_ns);
	}
}

/* Turns until it is to stop; a turn that is late is left out. */
static void turns(struct sampler *s, void (*turn)(struct sampler *s))
{
	int64_t due_ns = moment_now(NULL).steady_ns;
	while (!stopping(s)) {
		turn(s);
		due_ns = cadence_next(due_ns, moment_now(NULL).steady_ns,
			s->period_ns);
		rest(s, due_ns);
	}
}

/* The last thing a thread does with what is ours. */
static void over(struct sampler *s)
{
	atomic_store_explicit(&s->running, false, memory_order_release);
}

static void host_turn(struct sampler *s)
{
	host_round(&s->of->host, HOST_WITHIN);
}

static void *host_main(void *ctx)
{
	struct sampler *s = ctx;
	thread_stand_back();
	rest(s, moment_now(NULL).steady_ns + s->period_ns);
	turns(s, host_turn);
	host_round(&s->of->host, HOST_END);
	over(s);
	return NULL;
}

static void nvml_turn(struct sampler *s)
{
	nvml_round(&s->of->nvml, s->to, stopping, s);
}

static void *nvml_main(void *ctx)
{
	struct sampler *s = ctx;
	char sentence[256];
	thread_stand_back();
	if (nvml_open(&s->of->nvml, &s->of->place, sentence))
		turns(s, nvml_turn);
	else
		say_once("%s", sentence);
	over(s);
	return NULL;
}

static void pcie_turn(struct sampler *s)
{
	nvml_pcie(&s->of->nvml, s->to, stopping, s);
}

static void *pcie_main(void *ctx)
{
	struct sampler *s = ctx;
	thread_stand_back();
	while (!stopping(s) && !nvml_ready(&s->of->nvml))
		rest(s, moment_now(NULL).steady_ns +
				READY_MS * INT64_C(1000000));
	turns(s, pcie_turn);
	over(s);
	return NULL;
}

static bool kind_wanted(const char *kinds)
{
	static const char word[] = "counter";
	for (const char *p = kinds; *p; p += *p == ',') {
		size_t len = strcspn(p, ",");
		if (len == sizeof word - 1 && !memcmp(p, word, len))
			return true;
		p += len;
	}
	return false;
}

static const char *copied(char *to, size_t room, const char *text)
{
	size_t len = text ? strlen(text) : room;
	if (len >= room)
		return NULL;
	return memcpy(to, text, len + 1);
}

static void place(struct counters *c, const struct options *o)
{
	c->place = (struct nvml_place){
		copied(c->library, sizeof c->library, o->nvml),
		"/proc",
		copied(c->visible, sizeof c->visible,
			getenv("CUDA_VISIBLE_DEVICES")),
		copied(c->order, sizeof c->order, getenv("CUDA_DEVICE_ORDER")),
	};
}

static bool sampler_init(struct counters *c, int which, void *(*main)(void *),
	const char *name, int hz, uint32_t room)
{
	struct sampler *s = &c->sampler[which];
	if (hz <= 0)
		return true;
	s->of = c;
	s->main = main;
	s->name = name;
	s->period_ns = 1000000000 / (hz < HZ_MAX ? hz : HZ_MAX);
	s->to = samples_new(room, moment_now, NULL);
	return s->to;
}

struct counters *counters_new(const struct options *o)
{
	if (!kind_wanted(o->kinds) || (o->nvml_hz <= 0 && o->host_hz <= 0))
		return NULL;
	struct counters *c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c == MAP_FAILED)
		return NULL;
	place(c, o);
	if (!c->place.library ||
		!sampler_init(c, SAMPLER_HOST, host_main, "ks-host", o->host_hz,
			HOST_ROOM) ||
		!sampler_init(c, SAMPLER_NVML, nvml_main, "ks-nvml", o->nvml_hz,
			NVML_ROOM) ||
		!sampler_init(c, SAMPLER_PCIE, pcie_main, "ks-pcie",
			o->nvml_hz > 0 ? 1 : 0, PCIE_ROOM)) {
		counters_free(c);
		return NULL;
	}
	return c;
}

static bool running(const struct counters *c)
{
	for (int i = 0; i < SAMPLERS; i++)
		if (atomic_load_explicit(&c->sampler[i].running,
			    memory_order_acquire))
			return true;
	return false;
}

/* A thread that is still in a call since the last window is let be. */
static void start(struct sampler *s)
{
	if (!s->to || atomic_load_explicit(&s->running, memory_order_acquire))
		return;
	/* Here, so that nothing in the window comes before it. */
	if (s->main == host_main)
		host_round(&s->of->host, HOST_BEGIN);
	atomic_store(&s->stop, false);
	atomic_store(&s->running, true);
	if (thread_start(s->name, s->main, s))
		return;
	atomic_store(&s->running, false);
	say_once("no thread could be made to sample counters");
}

void counters_start(struct counters *c)
{
	if (!c)
		return;
	if (!c->opened && c->sampler[SAMPLER_HOST].to) {
		host_init(&c->host, "/proc", "/sys",
			c->sampler[SAMPLER_HOST].to);
		c->opened = true;
	}
	for (int i = 0; i < SAMPLERS; i++) {
		/* What came too late for its own window is not of this one. */
		if (c->sampler[i].to)
			samples_forget(c->sampler[i].to);
		start(&c->sampler[i]);
	}
}

void counters_stop(struct counters *c)
{
	enum { STEP_NS = 1000000 };
	static const struct timespec step = { 0, STEP_NS };
	if (!c)
		return;
	for (int i = 0; i < SAMPLERS; i++) {
		atomic_store_explicit(&c->sampler[i].stop, true,
			memory_order_release);
		bell_ring(&c->sampler[i].wake);
	}
	for (int ms = 0; ms < STOP_MS && running(c); ms++)
		nanosleep(&step, NULL);
	if (running(c))
		say_once("NVML has not come back from a call; its thread is "
			 "let be");
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	counters_stop(c);
	if (running(c))
		return;
	nvml_close(&c->nvml);
	if (c->opened)
		host_release(&c->host);
	for (int i = 0; i < SAMPLERS; i++)
		samples_free(c->sampler[i].to);
	munmap(c, sizeof *c);
}
