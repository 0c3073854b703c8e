/* session_kinds.c - what a window records, enabled as far as CUPTI allows.
 *
 * A virtual GPU, MIG, MPS or confidential computing refuse some kinds and not
 * others; what is refused is told and the rest is recorded. Hardware tracing is
 * never asked for: before CUDA 13.4 Update 1 it spoils the host's memory, and it
 * cannot be turned off again. */
#include "session_state.h"

enum { V12_5 = 23 }; /* from which calls can be chosen one by one */

/* CONCURRENT_KERNEL, never KERNEL: that one has kernels wait for each other. */
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

struct attempt {
	struct session *session;
	char *sentence;
	CUptiResult first; /* refusal */
	bool any;
};

static void refused(struct attempt *a, const char *what, CUptiResult r)
{
	if (a->first == CUPTI_SUCCESS)
		a->first = r;
	session_tell(a->sentence, "%s not recorded: %s", what,
		session_reason(a->session, r));
}

static void enable(struct attempt *a, enum session_kind kind)
{
	struct session *s = a->session;
	CUptiResult r = s->library->enable(kinds[kind].kind);
	s->on[kind] = r == CUPTI_SUCCESS;
	a->any |= s->on[kind];
	if (!s->on[kind])
		refused(a, kinds[kind].what, r);
}

typedef CUptiResult(CUPTIAPI *call_switch)(CUpti_CallbackId id, uint8_t on);

static call_switch switch_of(const struct session *s, bool driver)
{
	if (s->library->version < V12_5)
		return NULL;
	return driver ? s->library->driver_call : s->library->runtime_call;
}

/* Of a domain the calls that launch, from CUDA 12.5 on; before, all calls, which
 * are sorted out when they are read. */
static void enable_calls(struct attempt *a, bool driver)
{
	struct session *s = a->session;
	call_switch call = switch_of(s, driver);
	for (int i = 0; call && i < s->calls.launches[driver]; i++)
		if (call(s->calls.launch[driver][i], 1) == CUPTI_SUCCESS)
			s->calls_on[driver]++;
	if (s->calls_on[driver])
		a->any = true;
	else
		enable(a, driver ? KIND_DRIVER : KIND_RUNTIME);
}

bool session_kinds_enable(struct session *s, char sentence[static 512],
	CUptiResult *worst)
{
	struct attempt a = { .session = s, .sentence = sentence };
	if (s->wanted.kernel && s->wanted.graph_whole)
		enable(&a, KIND_GRAPH);
	if (s->wanted.kernel)
		enable(&a, KIND_KERNEL);
	if (s->wanted.copy) {
		enable(&a, KIND_COPY);
		enable(&a, KIND_PEER_COPY);
		enable(&a, KIND_SET);
	}
	if (s->wanted.overhead)
		enable(&a, KIND_OVERHEAD);
	if (s->wanted.launch) {
		enable_calls(&a, false);
		enable_calls(&a, true);
	}
	*worst = a.first;
	return a.any;
}

void session_kinds_disable(struct session *s)
{
	for (int kind = 0; kind < KINDS; kind++) {
		if (s->on[kind])
			s->library->disable(kinds[kind].kind);
		s->on[kind] = false;
	}
	for (int driver = 0; driver < 2; driver++) {
		call_switch call = switch_of(s, driver);
		for (int i = 0;
			s->calls_on[driver] && i < s->calls.launches[driver];
			i++)
			call(s->calls.launch[driver][i], 0);
		s->calls_on[driver] = 0;
	}
}
