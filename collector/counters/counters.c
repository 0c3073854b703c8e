/* counters.c - samples the host and its GPUs in a thread while a window is open. */
#include "clock.h"
#include "capture_writer.h"
#include "counters.h"
#include "counters_state.h"
#include "host.h"
#include "log.h"
#include "nvml.h"
#include "samples.h"
#include "thread.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static int64_t counters_own_text(struct capture_writer *s, const char *text)
{
	return capture_writer_text(s, TEXT_OWN, 0, text, strlen(text));
}

static void counters_fact(struct capture_writer *s, const char *name,
	const char *value)
{
	if (*value)
		capture_writer_row(s, KST_fact,
			&(struct kst_fact){ .name = counters_own_text(s, name),
				.value = counters_own_text(s, value) });
}

/* "1980", or if devices differ "1980, 1410"; empty if unknown. */
static void counters_joined(char to[static 256], const struct nvml *n,
	int64_t (*of)(const struct nvml_gpu *g))
{
	bool equal = true;
	size_t len = 0;
	*to = '\0';
	for (int i = 0; i < n->n; i++) {
		if (of(&n->gpu[i]) < 0)
			return;
		equal &= of(&n->gpu[i]) == of(&n->gpu[0]);
	}
	for (int i = 0; i < (equal && n->n ? 1 : n->n) && len < 230; i++)
		len += (size_t)snprintf(to + len, 256 - len, "%s%lld",
			i ? ", " : "", (long long)of(&n->gpu[i]));
}

static int64_t counters_clock_max(const struct nvml_gpu *g)
{
	return g->sm_clock_max_mhz;
}

static int64_t counters_power_cap(const struct nvml_gpu *g)
{
	return g->power_cap_mw < 0 ? -1 : (g->power_cap_mw + 500) / 1000;
}

static void counters_gpus(const struct nvml *n, struct capture_writer *s)
{
	char text[256];
	for (int i = 0; i < n->n; i++) {
		const struct nvml_gpu *g = &n->gpu[i];
		capture_writer_row(s, KST_device,
			&(struct kst_device){ .number = g->number,
				.name = *g->name ? counters_own_text(s, g->name)
						 : 0,
				.sm_count = g->sm_count,
				.compute_major = g->major,
				.compute_minor = g->minor,
				.memory_bytes = g->memory_bytes,
				.uuid = *g->uuid ? counters_own_text(s, g->uuid)
						 : 0 });
	}
	counters_fact(s, "driver", n->driver);
	counters_joined(text, n, counters_clock_max);
	counters_fact(s, "sm_clock_max_mhz", text);
	counters_joined(text, n, counters_power_cap);
	counters_fact(s, "power_cap_w", text);
	if (n->order_unknown)
		capture_writer_note(s, "device_order", n->order_unknown, "");
}

static void counters_counter_rows(struct counters *c, struct capture_writer *s)
{
	int64_t beyond = atomic_load(&c->host.tasks.most_beyond);
	if (!c->noted_gpus && nvml_ready(&c->nvml)) {
		counters_gpus(&c->nvml, s);
		c->noted_gpus = true;
	}
	if (!c->noted_host && c->sampler[SAMPLER_HOST].to) {
		counters_fact(s, "cpu", c->host.model);
		c->noted_host = true;
	}
	if (!c->noted_tasks && beyond) {
		capture_writer_note(s, "tasks_beyond", beyond, "");
		c->noted_tasks = true;
	}
}

static int64_t counters_name_of(struct counters *c, struct capture_writer *s,
	enum counter of)
{
	if (c->text[of] <= 0)
		c->text[of] = counters_own_text(s, counter_name(of));
	return c->text[of];
}

void counters_drain(struct counters *c, struct capture_writer *s)
{
	struct sample one;
	bool any = false;
	if (!c)
		return;
	for (int i = 0; i < SAMPLERS; i++) {
		struct samples *from = c->sampler[i].to;
		while (from && samples_next(from, &one)) {
			capture_writer_row(s, KST_counter,
				&(struct kst_counter){ .start_ns = one.at_ns,
					.name = counters_name_of(c, s,
						one.counter),
					.device = one.device,
					.value = one.value });
			any = true;
		}
	}
	/* Device rows and facts alone do not start a capture. */
	if (any)
		counters_counter_rows(c, s);
}

void counters_again(struct counters *c)
{
	if (!c)
		return;
	c->noted_gpus = c->noted_host = c->noted_tasks = false;
	memset(c->text, 0, sizeof c->text);
}

int64_t counters_dropped(struct counters *c)
{
	int64_t n = 0;
	for (int i = 0; c && i < SAMPLERS; i++)
		if (c->sampler[i].to)
			n += samples_dropped(c->sampler[i].to);
	return n;
}

enum {
	HOST_ROOM = 1 << 11,
	NVML_ROOM = 1 << 13,
	PCIE_ROOM = 1 << 10,
	HZ_MAX = 1000,
	STOP_MS = 250,
	READY_MS = 20,
};

static bool counters_stopping(void *ctx)
{
	const struct sampler *s = ctx;
	return atomic_load_explicit(&s->stop, memory_order_acquire);
}

/* Waits until `due_ns` of the steady clock or until the thread has to stop. */
static void counters_rest(struct sampler *s, int64_t due_ns)
{
	int64_t left_ns;
	for (;;) {
		uint32_t seen = thread_event_seen(&s->wake);
		if (counters_stopping(s))
			return;
		left_ns = due_ns - moment_now(NULL).steady_ns;
		if (left_ns <= 0)
			return;
		thread_event_wait(&s->wake, seen, left_ns);
	}
}

/* Takes turns until the thread has to stop. Turns that are late are skipped. */
static void counters_sampler_loop(struct sampler *s,
	void (*turn)(struct sampler *s))
{
	int64_t due_ns = moment_now(NULL).steady_ns;
	while (!counters_stopping(s)) {
		turn(s);
		due_ns = cadence_next(due_ns, moment_now(NULL).steady_ns,
			s->period_ns);
		counters_rest(s, due_ns);
	}
}

/* After this, the thread does not access shared memory. */
static void counters_sampler_end(struct sampler *s)
{
	atomic_store_explicit(&s->running, false, memory_order_release);
}

static void counters_host_turn(struct sampler *s)
{
	host_round(&s->of->host, HOST_WITHIN);
}

static void *counters_host_main(void *ctx)
{
	struct sampler *s = ctx;
	thread_begin(s->name);
	counters_rest(s, moment_now(NULL).steady_ns + s->period_ns);
	counters_sampler_loop(s, counters_host_turn);
	host_round(&s->of->host, HOST_END);
	counters_sampler_end(s);
	return NULL;
}

static void counters_nvml_turn(struct sampler *s)
{
	nvml_round(&s->of->nvml, s->to, counters_stopping, s);
}

static void *counters_nvml_main(void *ctx)
{
	struct sampler *s = ctx;
	char sentence[256];
	thread_begin(s->name);
	if (nvml_open(&s->of->nvml, &s->of->place, sentence))
		counters_sampler_loop(s, counters_nvml_turn);
	else
		log_line_once("%s", sentence);
	counters_sampler_end(s);
	return NULL;
}

static void counters_pcie_turn(struct sampler *s)
{
	nvml_pcie(&s->of->nvml, s->to, counters_stopping, s);
}

static void *counters_pcie_main(void *ctx)
{
	struct sampler *s = ctx;
	thread_begin(s->name);
	while (!counters_stopping(s) && !nvml_ready(&s->of->nvml))
		counters_rest(s, moment_now(NULL).steady_ns +
					 READY_MS * INT64_C(1000000));
	counters_sampler_loop(s, counters_pcie_turn);
	counters_sampler_end(s);
	return NULL;
}

static bool counters_kind_wanted(const char *kinds)
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

static const char *counters_copied(char *to, size_t room, const char *text)
{
	size_t len = text ? strlen(text) : room;
	if (len >= room)
		return NULL;
	return memcpy(to, text, len + 1);
}

static void counters_place(struct counters *c,
	const struct collector_options *o)
{
	c->place = (struct nvml_place){
		counters_copied(c->library, sizeof c->library, o->nvml),
		"/proc",
		counters_copied(c->visible, sizeof c->visible,
			getenv("CUDA_VISIBLE_DEVICES")),
		counters_copied(c->order, sizeof c->order,
			getenv("CUDA_DEVICE_ORDER")),
	};
}

static bool counters_sampler_init(struct counters *c, int which,
	void *(*main)(void *), const char *name, int hz, uint32_t room)
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

struct counters *counters_new(const struct collector_options *o)
{
	if (!counters_kind_wanted(o->kinds) ||
		(o->nvml_hz <= 0 && o->host_hz <= 0))
		return NULL;
	struct counters *c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c == MAP_FAILED)
		return NULL;
	counters_place(c, o);
	if (!c->place.library ||
		!counters_sampler_init(c, SAMPLER_HOST, counters_host_main,
			"ks-host", o->host_hz, HOST_ROOM) ||
		!counters_sampler_init(c, SAMPLER_NVML, counters_nvml_main,
			"ks-nvml", o->nvml_hz, NVML_ROOM) ||
		!counters_sampler_init(c, SAMPLER_PCIE, counters_pcie_main,
			"ks-pcie", o->nvml_hz > 0 ? 1 : 0, PCIE_ROOM)) {
		counters_free(c);
		return NULL;
	}
	return c;
}

static bool counters_running(const struct counters *c)
{
	for (int i = 0; i < SAMPLERS; i++)
		if (atomic_load_explicit(&c->sampler[i].running,
			    memory_order_acquire))
			return true;
	return false;
}

/* Starts no second thread if one is still in a call since the last window. */
static void counters_sampler_start(struct sampler *s)
{
	if (!s->to || atomic_load_explicit(&s->running, memory_order_acquire))
		return;
	/* Read here, so that it is the first reading of the window. */
	if (s->main == counters_host_main)
		host_round(&s->of->host, HOST_BEGIN);
	atomic_store(&s->stop, false);
	atomic_store(&s->running, true);
	if (thread_start(s->main, s))
		return;
	atomic_store(&s->running, false);
	log_line_once("no thread could be made to sample counters");
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
		/* Samples that came after the end of their window do not
		 * belong to this one. */
		if (c->sampler[i].to)
			samples_forget(c->sampler[i].to);
		counters_sampler_start(&c->sampler[i]);
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
		thread_event_raise(&c->sampler[i].wake);
	}
	for (int ms = 0; ms < STOP_MS && counters_running(c); ms++)
		nanosleep(&step, NULL);
	if (counters_running(c))
		log_line_once(
			"NVML has not come back from a call; its thread is "
			"let be");
}

void counters_free(struct counters *c)
{
	if (!c)
		return;
	counters_stop(c);
	if (counters_running(c))
		return;
	nvml_close(&c->nvml);
	if (c->opened)
		host_release(&c->host);
	for (int i = 0; i < SAMPLERS; i++)
		samples_free(c->sampler[i].to);
	munmap(c, sizeof *c);
}
