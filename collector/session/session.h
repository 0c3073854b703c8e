/* session.h - one window's use of CUPTI: subscribe, enable, flush, disable.
 *
 * Only the control thread calls these functions, unless noted otherwise.
 * Threads of the application never do. Every result is checked, and none ends
 * the host. cuptiFinalize is never called. Every setting that a window changes
 * is restored at its end: between windows another tool finds CUPTI as it left
 * it.
 *
 * CUPTI accepts one subscriber, and the process has only one set of activity
 * callbacks. From 13.3 on, with a driver of r610, several subscribers can
 * share CUPTI through other functions (…_v2), which may not be mixed with
 * these. The collector does not use them. To use them, write another session.c
 * behind this header; the header therefore exposes neither handles nor CUPTI's
 * kinds. The layouts that CUPTI then returns would fill struct layout
 * (records.h). */
#pragma once
#include "intake.h"
#include "library.h"
#include "nodes.h"

/* What to record; from KERNSIFT_TRACE_KINDS and _GRAPH. */
struct session_kinds {
	bool kernel, copy, launch, overhead;
	bool graph_whole; /* a replayed graph is one record */
};

enum session_end {
	SESSION_OPEN,
	SESSION_BUSY, /* another tool holds CUPTI; its name is reported */
	SESSION_UNFIT, /* no driver, no GPU, too old: CUPTI cannot be used in
		        * this process */
	SESSION_FATAL, /* CUPTI reported a fatal state */
};

struct session;

/* Calls no function of CUPTI yet. All arguments are borrowed; one session per
 * process. NULL if there is no memory. A session that was open once is not
 * freed, because CUPTI may return buffers later. session_free() is for
 * tests. */
struct session *session_new(const struct library *l, struct intake *i,
	struct nodes *n, struct kernel_names *names,
	const struct session_kinds *k);
void session_free(struct session *s);

/* Subscribes and enables kinds. If the result is SESSION_OPEN, `sentence`
 * contains the kinds that were refused and left out, and warnings; it may be
 * empty. Otherwise it contains the reason, and every CUPTI setting is as
 * before the call. */
enum session_end session_open(struct session *s, char sentence[static 512]);
/* Flushes CUPTI's complete buffers; called every second of a window. False if
 * CUPTI can no longer be used in this process. */
bool session_flush(struct session *s);
/* Disables all kinds, flushes all buffers and unsubscribes. False after a
 * fatal error: CUPTI never returns the rest of the window and can no longer be
 * used. */
bool session_close(struct session *s);

/* Records that CUPTI itself lost since the last call. Any thread. */
int64_t session_dropped(struct session *s);
/* Whether another tool's buffers replaced ours, because it registered its own
 * callbacks, as torch.profiler does. True if more was launched than fits into
 * the buffers that CUPTI has, and CUPTI neither returned nor requested one
 * during two flushes. session_close() then leaves the other tool's buffers
 * alone. */
bool session_displaced(struct session *s);
/* How long the control thread has been inside a CUPTI function; 0 if it is not
 * inside one. Any thread may call this. */
int64_t session_stuck_ns(const struct session *s);

/* Between windows: after session_listen(s, true) the session is subscribed. It
 * receives cuProfilerStart, cuProfilerStop and the creation of graph nodes, as
 * in windows. Launches do not become slower, but no other tool can subscribe.
 * `sentence` is as for session_open(). */
enum session_end session_listen(struct session *s, bool on,
	char sentence[static 512]);
/* Whether cuProfilerStart and cuProfilerStop were called since the last call
 * of this function. Any thread. */
void session_profiler(struct session *s, bool *start, bool *stop);

/* The name of the API call (driver, cbid) in CUPTI, such as
 * cudaLaunchKernel_v7000. It is valid as long as the library; any thread may
 * call this. NULL if the call is unknown or no window was open yet. */
const char *session_call_name(void *session, bool driver, uint32_t cbid);
