/* session.c - one window's use of CUPTI: subscribe, enable, flush, disable. */
#include "session.h"
#include "calls.h"
#include "clock.h"
#include "fault.h"
#include "nvtx.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* The declarations that all parts of this file use. */

enum session_kind {
	KIND_GRAPH, /* enabled first: kinds that are enabled later then leave
		     * graphs whole */
	KIND_KERNEL,
	KIND_COPY,
	KIND_PEER_COPY,
	KIND_SET,
	KIND_OVERHEAD,
	KIND_RUNTIME, /* if calls cannot be selected one by one */
	KIND_DRIVER,
	KINDS
};

/* The attributes of CUPTI that a window sets, and their previous values. */
enum session_setting {
	SETTING_ZEROED,
	SETTING_POOL,
	SETTING_PINNED,
	SETTING_SHARED, /* buffers shared by all threads */
	SETTINGS
};
struct session_settings {
	bool set[SETTINGS];
	uint64_t before[SETTINGS];
	bool thread_ids;
};

/* Detects whether buffers arrive while work is launched. */
struct session_watch {
	bool counting; /* launches are counted by callbacks */
	uint64_t buffers; /* requests and returns at the last flush */
	int quiet; /* flushes since `buffers` last increased */
	bool displaced;
};

struct session {
	const struct library *library;
	struct intake *intake;
	struct nodes *nodes;
	struct kernel_names *names;
	struct session_kinds wanted;
	struct calls calls;
	atomic_bool calls_found;

	CUpti_SubscriberHandle subscriber; /* NULL: not subscribed */
	bool listening, open;
	bool on[KINDS];
	int calls_on[2]; /* launch calls enabled one by one, [driver] */
	bool crowded; /* so many threads launch that they must share buffers */
	int failures; /* consecutive flushes that failed */
	struct session_settings settings;
	struct session_watch watch;

	/* Written by callbacks. */
	atomic_bool fatal, start, stop;
	_Atomic uint64_t buffers;
	_Atomic int64_t launched[2]; /* [driver] */
	/* Written by the control thread, read by others. */
	_Atomic int64_t dropped, within_since_ns;
};

/* Appends a sentence if there is room. */
static void session_explain(char sentence[static 512], const char *format, ...)
{
	size_t at = strlen(sentence);
	va_list args;
	if (at && at < 508)
		at += (size_t)snprintf(sentence + at, 512 - at, "; ");
	va_start(args, format);
	vsnprintf(sentence + at, 512 - at, format, args);
	va_end(args);
}

/* CUPTI's name for a result, for the log. */
static const char *session_result(const struct library *l, CUptiResult r)
{
	const char *text = NULL;
	if (l->result_string(r, &text) != CUPTI_SUCCESS || !text)
		return "a result without a name";
	return text;
}

/* The reason why CUPTI refused something, in few words. */
static const char *session_reason(const struct session *s, CUptiResult r)
{
	switch (r) {
	case CUPTI_ERROR_NOT_SUPPORTED:
		return "not supported here";
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
		return "not on a virtual GPU";
	case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
	case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
		return "this user may not";
	case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
		return "not with confidential computing";
	case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
		return "not on a mining GPU";
	case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
		return "not on a MIG device";
	case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
		return "not with SLI";
	case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
		return "not under WSL";
	default:
		return session_result(s->library, r);
	}
}

/* Returns SESSION_UNFIT and writes the reason. CUPTI's own result for a driver
 * that is missing or too old is "unknown". */
static enum session_end session_unfit(const struct session *s, CUptiResult r,
	char sentence[static 512])
{
	uint32_t cuda = library_cuda(s->library->version);
	uint32_t driver = s->library->driver;
	const char *word = session_result(s->library, r);

	if (!driver)
		session_explain(sentence,
			"no NVIDIA driver is loaded in this process (%s)",
			word);
	else if (cuda > driver)
		session_explain(sentence,
			"the driver, which is of CUDA %u.%u, may be too old "
			"for CUPTI, which is of CUDA %u.%u (%s)",
			driver / 1000, driver / 10 % 100, cuda / 1000,
			cuda / 10 % 100, word);
	else if (r == CUPTI_ERROR_NOT_INITIALIZED)
		session_explain(sentence,
			"CUDA has no device here, or did not start (%s)", word);
	else
		session_explain(sentence, "CUPTI cannot be used here: %s",
			session_reason(s, r));
	return SESSION_UNFIT;
}

/* With a virtual GPU, MIG, MPS or confidential computing, CUPTI refuses some
 * kinds and accepts others. A refused kind is reported and the others are
 * recorded. Hardware tracing is never enabled: before CUDA 13.4 Update 1 it
 * corrupts the host's memory, and it cannot be disabled again. */

enum { V12_5 = 23 }; /* since this version, single calls can be selected */

/* CONCURRENT_KERNEL and never KERNEL, which makes kernels wait for each
 * other. */
static const struct {
	CUpti_ActivityKind kind;
	const char *what;
} kinds[KINDS] = {
	[KIND_GRAPH] = { CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "graphs as a whole" },
	[KIND_KERNEL] = { CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels" },
	[KIND_COPY] = { CUPTI_ACTIVITY_KIND_MEMCPY, "copies" },
	[KIND_PEER_COPY] = { CUPTI_ACTIVITY_KIND_MEMCPY2,
		"copies between devices" },
	[KIND_SET] = { CUPTI_ACTIVITY_KIND_MEMSET, "memory sets" },
	[KIND_OVERHEAD] = { CUPTI_ACTIVITY_KIND_OVERHEAD, "overhead" },
	[KIND_RUNTIME] = { CUPTI_ACTIVITY_KIND_RUNTIME, "runtime calls" },
	[KIND_DRIVER] = { CUPTI_ACTIVITY_KIND_DRIVER, "driver calls" },
};

struct session_attempt {
	struct session *session;
	char *sentence;
	CUptiResult first; /* refusal */
	bool any;
};

static void session_kinds_refused(struct session_attempt *a, const char *what,
	CUptiResult r)
{
	if (a->first == CUPTI_SUCCESS)
		a->first = r;
	session_explain(a->sentence, "%s not recorded: %s", what,
		session_reason(a->session, r));
}

static void session_enable(struct session_attempt *a, enum session_kind kind)
{
	struct session *s = a->session;
	CUptiResult r = s->library->enable(kinds[kind].kind);
	s->on[kind] = r == CUPTI_SUCCESS;
	a->any |= s->on[kind];
	if (!s->on[kind])
		session_kinds_refused(a, kinds[kind].what, r);
}

typedef CUptiResult(CUPTIAPI *call_switch)(CUpti_CallbackId id, uint8_t on);

static call_switch session_switch_of(const struct session *s, bool driver)
{
	if (s->library->version < V12_5)
		return NULL;
	return driver ? s->library->driver_call : s->library->runtime_call;
}

/* Enables the launch calls of a domain. Before CUDA 12.5 single calls cannot
 * be enabled: all calls are recorded then, and the others are skipped when the
 * records are read. */
static void session_enable_calls(struct session_attempt *a, bool driver)
{
	struct session *s = a->session;
	call_switch call = session_switch_of(s, driver);
	for (int i = 0; call && i < s->calls.launches[driver]; i++)
		if (call(s->calls.launch[driver][i], 1) == CUPTI_SUCCESS)
			s->calls_on[driver]++;
	if (s->calls_on[driver])
		a->any = true;
	else
		session_enable(a, driver ? KIND_DRIVER : KIND_RUNTIME);
}

/* False if none of the wanted kinds could be enabled; *worst is then CUPTI's
 * result for the first one. */
static bool session_kinds_enable(struct session *s, char sentence[static 512],
	CUptiResult *worst)
{
	struct session_attempt a = { .session = s, .sentence = sentence };
	if (s->wanted.kernel && s->wanted.graph_whole)
		session_enable(&a, KIND_GRAPH);
	if (s->wanted.kernel)
		session_enable(&a, KIND_KERNEL);
	if (s->wanted.copy) {
		session_enable(&a, KIND_COPY);
		session_enable(&a, KIND_PEER_COPY);
		session_enable(&a, KIND_SET);
	}
	if (s->wanted.overhead)
		session_enable(&a, KIND_OVERHEAD);
	if (s->wanted.launch) {
		session_enable_calls(&a, false);
		session_enable_calls(&a, true);
	}
	*worst = a.first;
	return a.any;
}

static void session_kinds_disable(struct session *s)
{
	for (int kind = 0; kind < KINDS; kind++) {
		if (s->on[kind])
			s->library->disable(kinds[kind].kind);
		s->on[kind] = false;
	}
	for (int driver = 0; driver < 2; driver++) {
		call_switch call = session_switch_of(s, driver);
		for (int i = 0;
			s->calls_on[driver] && i < s->calls.launches[driver];
			i++)
			call(s->calls.launch[driver][i], 0);
		s->calls_on[driver] = 0;
	}
}

/* These settings apply to the whole process. If they were not restored, they
 * would break another tool: it may, for example, give CUPTI buffers that are
 * not zeroed. */

enum { SETTINGS_V13_0 = 130000, V12_3 = 21 };
enum { ALWAYS, FAULTY_DEVICE_MEMORY, CROWDED };

static const struct setting {
	CUpti_ActivityAttribute attribute;
	size_t size;
	uint64_t value, before; /* before: used if CUPTI cannot return it */
	int when;
} settings[SETTINGS] = {
	/* We zero buffers in our own thread. Otherwise CUPTI does it during a
	 * launch. */
	[SETTING_ZEROED] = { CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1,
		1, 0, ALWAYS },
	/* At most 16 buffers of 3.2 MB in device memory instead of 250. */
	[SETTING_POOL] = { CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT,
		sizeof(size_t), 16, 250, ALWAYS },
	/* 13.0 before its update crashes with graphs and device memory. */
	[SETTING_PINNED] = { CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED,
		1, 1, 0, FAULTY_DEVICE_MEMORY },
	/* With hundreds of launching threads, each would hold a buffer. */
	[SETTING_SHARED] = { CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 1,
		0, 1, CROWDED },
};

static bool session_applies(const struct session *s, int when)
{
	uint32_t version = s->library->version;
	if (when == FAULTY_DEVICE_MEMORY)
		return version == SETTINGS_V13_0;
	return when == ALWAYS || (s->crowded && version >= V12_3);
}

/* x86-64 and arm64 have the low byte first, so one variable does for sizes. */
static uint64_t session_read_setting(const struct session *s,
	const struct setting *a)
{
	uint64_t value = 0;
	size_t size = a->size;
	if (!s->library->get_attribute ||
		s->library->get_attribute(a->attribute, &size, &value) !=
			CUPTI_SUCCESS)
		return a->before;
	return value;
}

static bool session_write_setting(const struct session *s,
	const struct setting *a, uint64_t value)
{
	size_t size = a->size;
	return s->library->set_attribute(a->attribute, &size, &value) ==
	       CUPTI_SUCCESS;
}

/* Sets the thread ids and attributes for a window. */
static void session_settings_apply(struct session *s)
{
	s->settings = (struct session_settings){ .thread_ids = false };
	if (s->library->thread_ids)
		s->settings.thread_ids =
			s->library->thread_ids(
				CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) ==
			CUPTI_SUCCESS;
	for (int i = 0; s->library->set_attribute && i < SETTINGS; i++) {
		if (!session_applies(s, settings[i].when))
			continue;
		s->settings.before[i] = session_read_setting(s, &settings[i]);
		s->settings.set[i] = session_write_setting(s, &settings[i],
			settings[i].value);
	}
}

static void session_settings_restore(struct session *s)
{
	for (int i = 0; i < SETTINGS; i++)
		if (s->settings.set[i])
			session_write_setting(s, &settings[i],
				s->settings.before[i]);
	if (s->settings.thread_ids)
		s->library->thread_ids(CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT);
	s->settings = (struct session_settings){ .thread_ids = false };
}

/* The callbacks of CUPTI. Each returns immediately: none waits, and the only
 * function of CUPTI that they call is the one that returns a graph node's
 * id. */

/* Buffer callbacks get no context, so this is the only session of the
 * process. */
static struct session *_Atomic current;

static void CUPTIAPI session_request(uint8_t **buffer, size_t *size,
	size_t *most)
{
	struct session *s = atomic_load(&current);
	*buffer = NULL;
	*size = *most = 0;
	if (!s)
		return;
	atomic_fetch_add_explicit(&s->buffers, 1, memory_order_relaxed);
	intake_request(s->intake, buffer, size, most);
}

static void CUPTIAPI session_complete(CUcontext context, uint32_t stream,
	uint8_t *buffer, size_t size, size_t valid)
{
	struct session *s = atomic_load(&current);
	(void)context, (void)stream, (void)size;
	if (!s || !buffer || fault_stopped())
		return;
	atomic_fetch_add_explicit(&s->buffers, 1, memory_order_relaxed);
	intake_complete(s->intake, buffer, valid);
}

static CUptiResult session_register(struct session *s)
{
	atomic_store(&current, s);
	return s->library->register_calls(session_request, session_complete);
}

static void session_unregister(const struct session *s)
{
	struct session *mine = atomic_load(&current);
	if (mine == s)
		atomic_store(&current, NULL);
}

static bool session_node_id(const struct session *s, CUgraphNode node,
	uint64_t *id)
{
	return node && s->library->graph_node_id(node, id) == CUPTI_SUCCESS;
}

static void session_node_created(struct session *s,
	const CUpti_GraphData *graph)
{
	uint32_t texts[NODES_DEPTH];
	uint64_t node;
	if (session_node_id(s, graph->node, &node))
		nodes_created(s->nodes, node, texts,
			nvtx_stack(texts, NODES_DEPTH));
}

static void session_node_cloned(struct session *s, const CUpti_GraphData *graph)
{
	uint64_t from, to;
	if (session_node_id(s, graph->originalNode, &from) &&
		session_node_id(s, graph->node, &to))
		nodes_cloned(s->nodes, from, to);
}

static void session_resource(struct session *s, CUpti_CallbackId id,
	const CUpti_ResourceData *data)
{
	const void *more = data ? data->resourceDescriptor : NULL;
	if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING ||
		id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		names_forget_pointers(s->names);
	else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED && more)
		session_node_created(s, more);
	else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED && more)
		session_node_cloned(s, more);
}

/* The calls that begin and end a capture, and what follows from them. */
static const struct profiler_call {
	bool driver, stop;
	CUpti_CallbackId id;
} profiler_calls[] = {
	{ true, false, CUPTI_DRIVER_TRACE_CBID_cuProfilerStart },
	{ true, true, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop },
	{ false, false, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000 },
	{ false, true, CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000 },
};
enum { PROFILER_CALLS = sizeof profiler_calls / sizeof *profiler_calls };

static void session_call(struct session *s, bool driver, CUpti_CallbackId id)
{
	for (int i = 0; i < PROFILER_CALLS; i++) {
		const struct profiler_call *p = &profiler_calls[i];
		if (p->driver == driver && p->id == id) {
			atomic_store(p->stop ? &s->stop : &s->start, true);
			return;
		}
	}
	atomic_fetch_add_explicit(&s->launched[driver], 1,
		memory_order_relaxed);
}

static void CUPTIAPI session_callback(void *ctx, CUpti_CallbackDomain domain,
	CUpti_CallbackId id, const void *data)
{
	struct session *s = ctx;
	const CUpti_CallbackData *at = data;
	if (fault_stopped())
		return;
	if (domain == CUPTI_CB_DOMAIN_RESOURCE)
		session_resource(s, id, data);
	else if (domain == CUPTI_CB_DOMAIN_STATE)
		atomic_store(&s->fatal, true);
	else if (at && at->callbackSite == CUPTI_API_ENTER)
		session_call(s, domain == CUPTI_CB_DOMAIN_DRIVER_API, id);
}

static CUptiResult session_listen_to(struct session *s, bool on,
	CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	return s->library->callback(on, s->subscriber, domain, id);
}

static CUpti_CallbackDomain session_calls_of(bool driver)
{
	return driver ? CUPTI_CB_DOMAIN_DRIVER_API
		      : CUPTI_CB_DOMAIN_RUNTIME_API;
}

/* An event, and the message about what is missing if it cannot be received. */
struct event {
	CUpti_CallbackDomain domain;
	CUpti_CallbackId id;
	const char *without;
};

static void session_callbacks_enable(struct session *s,
	const struct event *events, size_t count, char *sentence)
{
	for (size_t i = 0; i < count; i++) {
		CUptiResult r = session_listen_to(s, true, events[i].domain,
			events[i].id);
		if (r != CUPTI_SUCCESS)
			session_explain(sentence, "%s: %s", events[i].without,
				session_reason(s, r));
	}
}

/* Enables the events that are needed as long as the subscription lasts: fatal
 * states, graph nodes, cuProfilerStart and cuProfilerStop. */
static void session_enable_events(struct session *s, char *sentence)
{
	static const struct event state[] = {
		{ CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR,
			"fatal states are not reported" },
	};
	static const struct event graphs[] = {
		{ CUPTI_CB_DOMAIN_RESOURCE,
			CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
			"ranges of graph nodes are not known" },
		{ CUPTI_CB_DOMAIN_RESOURCE,
			CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
			"ranges of copied graphs are not known" },
	};
	session_callbacks_enable(s, state, 1, sentence);
	if (s->wanted.kernel && !s->wanted.graph_whole && s->nodes &&
		s->library->graph_node_id)
		session_callbacks_enable(s, graphs, 2, sentence);
	for (int i = 0; i < PROFILER_CALLS; i++)
		session_listen_to(s, true,
			session_calls_of(profiler_calls[i].driver),
			profiler_calls[i].id);
}

/* For windows, in which names are pinned. `sentence` NULL: disables the
 * events. */
static void session_enable_unload_events(struct session *s, char *sentence)
{
	static const struct event unloads[] = {
		{ CUPTI_CB_DOMAIN_RESOURCE,
			CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
			"unloaded modules are not reported" },
		{ CUPTI_CB_DOMAIN_RESOURCE,
			CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
			"destroyed contexts are not reported" },
	};
	if (sentence) {
		session_callbacks_enable(s, unloads, 2, sentence);
		return;
	}
	for (int i = 0; i < 2; i++)
		session_listen_to(s, false, unloads[i].domain, unloads[i].id);
}

static void session_launch_calls(struct session *s, bool on)
{
	for (int driver = 0; driver < 2; driver++)
		for (int i = 0; i < s->calls.launches[driver]; i++)
			session_listen_to(s, on, session_calls_of(driver),
				s->calls.launch[driver][i]);
}

/* Another tool's cuptiActivityRegisterCallbacks silently replaces our
 * callbacks. Missing buffers alone prove nothing, because an idle process
 * returns no buffers either. So after a flush without buffers, launches are
 * counted. The callbacks that count them are off as long as buffers arrive. As
 * many launches as fit into the buffers that CUPTI has prove nothing, because
 * CUPTI may be filling a buffer. A larger number is a proof, but only if
 * launches make records: a process that records only copies can launch any
 * number of kernels without a record. */

/* RECORDS: kernel records have at least 200 bytes, and a buffer has 1 MiB.
 * SOME: a few launches that failed or were not complete. */
enum { RECORDS = (1 << 20) / 200, SOME = 16 };

/* The next functions run after each flush. */
static void session_watch_start(struct session *s)
{
	s->watch =
		(struct session_watch){ .buffers = atomic_load(&s->buffers) };
}

static void session_count_launches(struct session *s, bool on)
{
	if (s->watch.counting == on)
		return;
	atomic_store(&s->launched[0], 0);
	atomic_store(&s->launched[1], 0);
	session_launch_calls(s, on);
	s->watch.counting = on;
}

/* A runtime call is also a driver call, so the greater number is returned. */
static int64_t session_launched(const struct session *s)
{
	int64_t runtime = atomic_load(&s->launched[false]);
	int64_t driver = atomic_load(&s->launched[true]);
	return runtime > driver ? runtime : driver;
}

/* A kind that CUPTI refused counts as not requested. */
static bool session_launches_are_recorded(const struct session *s)
{
	return s->on[KIND_KERNEL] || s->on[KIND_GRAPH] || s->on[KIND_RUNTIME] ||
	       s->on[KIND_DRIVER] || s->calls_on[false] || s->calls_on[true];
}

static void session_watch_flush(struct session *s)
{
	if (!session_launches_are_recorded(s))
		return;
	uint64_t buffers = atomic_load(&s->buffers);
	if (buffers != s->watch.buffers) {
		s->watch.buffers = buffers;
		s->watch.quiet = 0;
		session_count_launches(s, false);
		return;
	}
	s->watch.quiet++;
	session_count_launches(s, true);
	int64_t room = (int64_t)intake_lent(s->intake) * RECORDS + SOME;
	if (s->watch.quiet >= 2 && session_launched(s) > room)
		s->watch.displaced = true;
}

static void session_watch_end(struct session *s)
{
	session_count_launches(s, false);
}

bool session_displaced(struct session *s)
{
	return s->watch.displaced;
}

enum {
	FAILURES = 3, /* consecutive flushes; more than an accident */
	CROWD = 16, /* launching threads, each with its own buffer */
	V13_0 = 130000
};

struct session *session_new(const struct library *l, struct intake *i,
	struct nodes *n, struct kernel_names *names,
	const struct session_kinds *k)
{
	void *at = mmap(NULL, sizeof(struct session), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	struct session *s = at;
	s->library = l;
	s->intake = i;
	s->nodes = n;
	s->names = names;
	s->wanted = *k;
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	session_unregister(s);
	munmap(s, sizeof *s);
}

static enum session_end session_subscribe(struct session *s,
	char sentence[static 512])
{
	const struct library *l = s->library;
	char holder[2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
	CUpti_SubscriberParams params = {
		.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
		.subscriberName = "kernsift",
		.oldSubscriberName = holder,
		.oldSubscriberSize = sizeof holder,
	};
	CUptiResult r = l->subscribe_v2 ? l->subscribe_v2(&s->subscriber,
						  session_callback, s, &params)
					: l->subscribe(&s->subscriber,
						  session_callback, s);
	if (r == CUPTI_SUCCESS) {
		session_enable_events(s, sentence);
		return SESSION_OPEN;
	}
	s->subscriber = NULL;
	if (r != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		return session_unfit(s, r, sentence);
	holder[sizeof holder - 1] = '\0';
	if (*holder)
		session_explain(sentence, "'%s' holds CUPTI", holder);
	else
		session_explain(sentence, "another tool holds CUPTI");
	return SESSION_BUSY;
}

/* Keeps the subscription if the session still listens. */
static void session_unsubscribe(struct session *s)
{
	if (s->subscriber && !s->listening) {
		s->library->unsubscribe(s->subscriber);
		s->subscriber = NULL;
	}
}

static void session_within(struct session *s, bool yes)
{
	atomic_store(&s->within_since_ns,
		yes ? clock_read_ns(CLOCK_MONOTONIC) : 0);
}

int64_t session_stuck_ns(const struct session *s)
{
	int64_t since = atomic_load(&s->within_since_ns);
	int64_t now = clock_read_ns(CLOCK_MONOTONIC);
	return since && now > since ? now - since : 0;
}

static void session_count_dropped(struct session *s)
{
	size_t lost = 0;
	if (s->library->dropped(NULL, 0, &lost) == CUPTI_SUCCESS)
		atomic_fetch_add(&s->dropped, (int64_t)lost);
}

int64_t session_dropped(struct session *s)
{
	return atomic_exchange(&s->dropped, 0);
}

/* Restores the state at the start of a window. */
static void session_undo(struct session *s)
{
	session_settings_restore(s);
	if (s->listening)
		session_enable_unload_events(s, NULL);
	session_unsubscribe(s);
}

/* After a fatal state CUPTI has ended itself and must not be called. */
static void session_forget_window(struct session *s)
{
	s->subscriber = NULL;
	s->listening = s->open = false;
	for (int kind = 0; kind < KINDS; kind++)
		s->on[kind] = false;
	s->calls_on[0] = s->calls_on[1] = 0;
	s->settings = (struct session_settings){ .thread_ids = false };
}

/* Nothing could be enabled. Finds out whether CUPTI can be used later. */
static enum session_end session_refused(struct session *s, CUptiResult r,
	char sentence[static 512])
{
	session_undo(s);
	if (r == CUPTI_SUCCESS) {
		session_explain(sentence, "nothing is to be recorded");
		return SESSION_UNFIT;
	}
	if (r != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
		return session_unfit(s, r, sentence);
	session_explain(sentence, "another tool holds CUPTI");
	return SESSION_BUSY;
}

static enum session_end session_open_window(struct session *s,
	char sentence[static 512])
{
	CUptiResult r;

	if (!atomic_load(&s->calls_found)) {
		calls_find(&s->calls, s->library);
		atomic_store(&s->calls_found, true);
	}
	names_forget_pointers(s->names);
	if (!s->subscriber) {
		enum session_end end = session_subscribe(s, sentence);
		if (end != SESSION_OPEN)
			return end;
	}
	session_settings_apply(s);
	r = session_register(s);
	if (r != CUPTI_SUCCESS)
		return session_refused(s, r, sentence);
	session_enable_unload_events(s, sentence);
	if (!session_kinds_enable(s, sentence, &r))
		return session_refused(s, r, sentence);
	session_watch_start(s);
	s->failures = 0;
	s->open = true;
	if (s->library->version == V13_0)
		session_explain(sentence,
			"CUPTI 13.0 has faults that 13.0 Update 1 mends");
	if (s->settings.set[SETTING_SHARED])
		session_explain(sentence,
			"many threads launch and share CUPTI's buffers");
	return SESSION_OPEN;
}

enum session_end session_open(struct session *s, char sentence[static 512])
{
	enum session_end end = SESSION_OPEN;
	*sentence = '\0';
	if (!s->open && !atomic_load(&s->fatal)) {
		session_within(s, true);
		end = session_open_window(s, sentence);
		session_within(s, false);
	}
	if (!atomic_load(&s->fatal))
		return end;
	session_forget_window(s);
	session_explain(sentence, "CUPTI reported a fatal state");
	return SESSION_FATAL;
}

bool session_flush(struct session *s)
{
	if (!s->open || atomic_load(&s->fatal))
		return !atomic_load(&s->fatal);
	session_within(s, true);
	CUptiResult r = s->library->flush_all(0);
	if (!atomic_load(&s->fatal)) {
		session_count_dropped(s);
		session_watch_flush(s);
	}
	if (intake_lent(s->intake) > CROWD)
		s->crowded = true;
	session_within(s, false);
	s->failures = r == CUPTI_SUCCESS ? 0 : s->failures + 1;
	return s->failures < FAILURES && !atomic_load(&s->fatal);
}

static void session_close_window(struct session *s)
{
	session_watch_end(s);
	session_kinds_disable(s);
	if (!s->watch.displaced)
		s->library->flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	if (atomic_load(&s->fatal))
		return;
	session_count_dropped(s);
	session_undo(s);
}

bool session_close(struct session *s)
{
	if (!s->open)
		return true;
	s->open = false;
	session_within(s, true);
	if (!atomic_load(&s->fatal))
		session_close_window(s);
	if (atomic_load(&s->fatal))
		session_forget_window(s);
	session_within(s, false);
	return !atomic_load(&s->fatal);
}

enum session_end session_listen(struct session *s, bool on,
	char sentence[static 512])
{
	*sentence = '\0';
	if (on == s->listening || atomic_load(&s->fatal))
		return atomic_load(&s->fatal) ? SESSION_FATAL : SESSION_OPEN;
	if (!on) {
		s->listening = false;
		if (!s->open)
			session_unsubscribe(s);
		return SESSION_OPEN;
	}
	if (!s->subscriber) {
		enum session_end end = session_subscribe(s, sentence);
		if (end != SESSION_OPEN)
			return end;
	}
	s->listening = true;
	return SESSION_OPEN;
}

void session_profiler(struct session *s, bool *start, bool *stop)
{
	*start = atomic_exchange(&s->start, false);
	*stop = atomic_exchange(&s->stop, false);
}

const char *session_call_name(void *session, bool driver, uint32_t cbid)
{
	const struct session *s = session;
	return atomic_load(&s->calls_found)
		       ? calls_name(&s->calls, driver, cbid)
		       : NULL;
}
