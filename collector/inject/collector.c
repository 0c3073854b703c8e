/* collector.c - the entry points of the library, and whether the process is recorded. */
#include "collector.h"
#include "clock.h"
#include "collector_state.h"
#include "counters.h"
#include "fault.h"
#include "log.h"
#include "nvtx.h"
#include "process_info.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Always 1: at 0 the driver reports a failure and NVTX's clients unload us. */

#define ENTRY __attribute__((visibility("default")))

ENTRY int InitializeInjection(void);
ENTRY int InitializeInjectionNvtx(void *get_export_table);
ENTRY int InitializeInjectionNvtx2(void *get_export_table);
ENTRY int InitializeInjectionNvtxExtension(void *module_info);

int InitializeInjection(void)
{
	collector_start();
	return 1;
}

/* NVTX before version 3 has another table, which is not supported. */
int InitializeInjectionNvtx(void *get_export_table)
{
	(void)get_export_table;
	return 1;
}

int InitializeInjectionNvtx2(void *get_export_table)
{
	return collector_wants_ranges() ? nvtx_attach(get_export_table) : 1;
}

int InitializeInjectionNvtxExtension(void *module_info)
{
	return collector_wants_ranges() ? nvtx_attach_extension(module_info)
					: 1;
}

static struct collector the = { .io.lock = PTHREAD_MUTEX_INITIALIZER };

/* A forked child does not have its parent's threads, CUPTI and files. */
static void collector_in_child(void)
{
	fault_stop();
	nvtx_record(false);
	log_open(NULL);
}

static bool collector_wait_until(_Atomic bool *what, int64_t until_ns)
{
	struct thread_event *b = &the.ended;

	while (!atomic_load(what)) {
		uint32_t seen = thread_event_seen(b);
		int64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);
		if (atomic_load(what) || now_ns >= until_ns)
			break;
		thread_event_wait(b, seen, until_ns - now_ns);
	}
	return atomic_load(what);
}

/* At the end of the process, waits until the recorded rows are written, but at
 * most KERNSIFT_TRACE_EXIT_MS. The wait for the control thread, which may hang
 * in CUPTI, ends earlier. */
static void collector_at_exit(void)
{
	const int64_t most_ns = the.options.exit_ms * INT64_C(1000000);
	int64_t now_ns = clock_read_ns(CLOCK_MONOTONIC);

	if (fault_stopped() || getpid() != the.pid)
		return;
	atomic_store(&the.exiting, true);
	thread_event_raise(&the.ctl.event);
	/* Only now is it certain whether anything will be written. */
	collector_wait_until(&the.ctl.ended, now_ns + most_ns * 7 / 10);
	if (!the.io.started)
		return;
	output_want(&the, IO_END);
	collector_wait_until(&the.io.ended, now_ns + most_ns);
}

static const char *collector_env(void *ctx, const char *name)
{
	(void)ctx;
	return secure_getenv(name);
}

static void collector_complain(void *ctx, const char *sentence)
{
	struct collector *c = ctx;

	log_line("%s", sentence);
	if (!c->options_wrong++)
		snprintf(c->option_error, sizeof c->option_error, "%s",
			sentence);
}

/* Logs misspelled variables: the collector ignores them, and the user would
 * not notice. */
static void collector_look_for_misspelt(struct collector *c)
{
	static const char prefix[] = "KERNSIFT_TRACE";
	char sentence[256];

	for (char **at = environ; at && *at; at++) {
		size_t len = strcspn(*at, "=");
		if (strncmp(*at, prefix, sizeof prefix - 1) ||
			options_knows(*at, len))
			continue;
		snprintf(sentence, sizeof sentence,
			"'%.*s' is no option of the collector; it is passed "
			"over",
			len > 100 ? 100 : (int)len, *at);
		collector_complain(c, sentence);
	}
}

static void collector_open_log(const struct collector_options *o)
{
	char folder[OPTIONS_PATH];
	char path[OPTIONS_PATH + 16];

	if (*o->log) {
		log_open(o->log);
		return;
	}
	if (!options_folder(o, folder)) {
		log_open(NULL);
		return;
	}
	snprintf(path, sizeof path, "%s/collector.log", folder);
	log_open(path);
}

/* Options are read once, by the first caller: the driver or NVTX. */
static bool wanted;
static void collector_decide(void)
{
	struct collector_options *o = &the.options;

	/* A program with more rights than its user must not follow the user's
	 * options. */
	if (getauxval(AT_SECURE))
		return;
	process_info_program(the.program);
	options_init(o, collector_env, collector_complain, &the);
	wanted = o->trace && !pattern_matches(&o->exclude, the.program);
	if (!wanted)
		return;
	collector_look_for_misspelt(&the);
	collector_open_log(o);
}

bool collector_wanted(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, collector_decide);
	return wanted && !fault_stopped();
}

bool collector_wants_ranges(void)
{
	return collector_wanted() && (options_kind(&the.options, "nvtx") ||
					     *the.options.graph == 'n');
}

/* Loads another tool's library from the path that the user gave. */
static void collector_start_chained(const struct collector_options *o)
{
	int (*entry)(void) = NULL;
	void *handle;

	if (!o->chain || !*o->chain)
		return;
	handle = dlopen(o->chain, RTLD_NOW | RTLD_LOCAL);
	if (handle)
		*(void **)&entry = dlsym(handle, "InitializeInjection");
	if (entry)
		entry();
	else
		log_line("'%s' of KERNSIFT_TRACE_CHAIN cannot be started (%s)",
			o->chain, dlerror());
}

static void collector_begin(void)
{
	struct collector *c = &the;

	c->pid = getpid();
	c->rank = process_info_rank(collector_env, NULL);
	if (options_kind(&c->options, "counter"))
		c->counters = counters_new(&c->options);
	if (pthread_atfork(NULL, NULL, collector_in_child) ||
		atexit(collector_at_exit) || at_quick_exit(collector_at_exit)) {
		log_line("the end of the process cannot be seen; nothing is "
			 "recorded");
		return;
	}
	if (c->options_wrong)
		output_note(c, NOTE_option, 1, c->option_error);
	control_start(c);
}

void collector_start(void)
{
	static atomic_flag started = ATOMIC_FLAG_INIT;

	if (atomic_flag_test_and_set(&started))
		return;
	if (collector_wanted())
		collector_begin();
	collector_start_chained(&the.options);
}
