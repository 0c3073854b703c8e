/* session_callbacks.c - what CUPTI calls, on whichever thread it likes.
 *
 * Each returns at once: nothing waits here, and no CUPTI function is called but
 * the one that tells a graph node's id. */
#include "session_state.h"
#include "fault.h"
#include "nvtx.h"

/* Buffer callbacks are given no context: the one session of this process. */
static struct session *_Atomic current;

static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *most)
{
	struct session *s = atomic_load(&current);
	*buffer = NULL;
	*size = *most = 0;
	if (!s)
		return;
	atomic_fetch_add_explicit(&s->buffers, 1, memory_order_relaxed);
	intake_request(s->intake, buffer, size, most);
}

static void CUPTIAPI complete(CUcontext context, uint32_t stream,
	uint8_t *buffer, size_t size, size_t valid)
{
	struct session *s = atomic_load(&current);
	(void)context, (void)stream, (void)size;
	if (!s || !buffer || fault_stopped())
		return;
	atomic_fetch_add_explicit(&s->buffers, 1, memory_order_relaxed);
	intake_complete(s->intake, buffer, valid);
}

CUptiResult session_register(struct session *s)
{
	atomic_store(&current, s);
	return s->library->register_calls(request, complete);
}

void session_unregister(const struct session *s)
{
	struct session *mine = atomic_load(&current);
	if (mine == s)
		atomic_store(&current, NULL);
}

static bool node_id(const struct session *s, CUgraphNode node, uint64_t *id)
{
	return node && s->library->graph_node_id(node, id) == CUPTI_SUCCESS;
}

static void node_created(struct session *s, const CUpti_GraphData *graph)
{
	uint32_t texts[NODES_DEPTH];
	uint64_t node;
	if (node_id(s, graph->node, &node))
		nodes_created(s->nodes, node, texts,
			nvtx_stack(texts, NODES_DEPTH));
}

static void node_cloned(struct session *s, const CUpti_GraphData *graph)
{
	uint64_t from, to;
	if (node_id(s, graph->originalNode, &from) &&
		node_id(s, graph->node, &to))
		nodes_cloned(s->nodes, from, to);
}

static void resource(struct session *s, CUpti_CallbackId id,
	const CUpti_ResourceData *data)
{
	const void *more = data ? data->resourceDescriptor : NULL;
	if (id == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING ||
		id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		names_forget_pointers(s->names);
	else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED && more)
		node_created(s, more);
	else if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED && more)
		node_cloned(s, more);
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

static void call(struct session *s, bool driver, CUpti_CallbackId id)
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

static void CUPTIAPI called(void *ctx, CUpti_CallbackDomain domain,
	CUpti_CallbackId id, const void *data)
{
	struct session *s = ctx;
	const CUpti_CallbackData *at = data;
	if (fault_stopped())
		return;
	if (domain == CUPTI_CB_DOMAIN_RESOURCE)
		resource(s, id, data);
	else if (domain == CUPTI_CB_DOMAIN_STATE)
		atomic_store(&s->fatal, true);
	else if (at && at->callbackSite == CUPTI_API_ENTER)
		call(s, domain == CUPTI_CB_DOMAIN_DRIVER_API, id);
}

const CUpti_CallbackFunc session_called = called;

static CUptiResult listen_to(struct session *s, bool on,
	CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	return s->library->callback(on, s->subscriber, domain, id);
}

static CUpti_CallbackDomain calls_of(bool driver)
{
	return driver ? CUPTI_CB_DOMAIN_DRIVER_API
		      : CUPTI_CB_DOMAIN_RUNTIME_API;
}

/* An event, and what is missing where it cannot be heard of. */
struct event {
	CUpti_CallbackDomain domain;
	CUpti_CallbackId id;
	const char *without;
};

static void hear(struct session *s, const struct event *events, size_t count,
	char *sentence)
{
	for (size_t i = 0; i < count; i++) {
		CUptiResult r =
			listen_to(s, true, events[i].domain, events[i].id);
		if (r != CUPTI_SUCCESS)
			session_tell(sentence, "%s: %s", events[i].without,
				session_reason(s, r));
	}
}

void session_hear(struct session *s, char *sentence)
{
	static const struct event state[] = {
		{ CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_FATAL_ERROR,
			"fatal states are not heard of" },
	};
	static const struct event graphs[] = {
		{ CUPTI_CB_DOMAIN_RESOURCE,
			CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
			"ranges of graph nodes are not known" },
		{ CUPTI_CB_DOMAIN_RESOURCE,
			CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
			"ranges of copied graphs are not known" },
	};
	hear(s, state, 1, sentence);
	if (s->wanted.kernel && !s->wanted.graph_whole && s->nodes &&
		s->library->graph_node_id)
		hear(s, graphs, 2, sentence);
	for (int i = 0; i < PROFILER_CALLS; i++)
		listen_to(s, true, calls_of(profiler_calls[i].driver),
			profiler_calls[i].id);
}

void session_hear_unloads(struct session *s, char *sentence)
{
	static const struct event unloads[] = {
		{ CUPTI_CB_DOMAIN_RESOURCE,
			CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
			"unloaded modules are not heard of" },
		{ CUPTI_CB_DOMAIN_RESOURCE,
			CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
			"destroyed contexts are not heard of" },
	};
	if (sentence) {
		hear(s, unloads, 2, sentence);
		return;
	}
	for (int i = 0; i < 2; i++)
		listen_to(s, false, unloads[i].domain, unloads[i].id);
}

void session_launch_calls(struct session *s, bool on)
{
	for (int driver = 0; driver < 2; driver++)
		for (int i = 0; i < s->calls.launches[driver]; i++)
			listen_to(s, on, calls_of(driver),
				s->calls.launch[driver][i]);
}
