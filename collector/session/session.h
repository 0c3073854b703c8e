/* session.h - one window's use of CUPTI: subscribe, enable, flush, disable.
 *
 * Called by the control thread alone unless noted otherwise, never by an
 * application's. Every result is checked; none ends the host. cuptiFinalize
 * is never called. What is set for a window is restored at its end: between
 * windows another tool finds CUPTI as it left it.
 *
 * CUPTI admits one subscriber, and its activity callbacks are the process's.
 * From 13.3 on, with a driver of r610, several subscribers share it through
 * calls of their own (…_v2), which may not be mixed with these. They are not
 * used here; they would be another session.c behind this header, which
 * therefore exposes neither handles nor CUPTI's kinds, and the layouts that
 * CUPTI then returns would fill struct layout (records.h). */
#pragma once
#include "intake.h"
#include "library.h"
#include "nodes.h"

/* What to record; from KERNSIFT_TRACE_KINDS and _GRAPH. */
struct session_kinds {
	bool kernel, copy, launch, overhead;
	bool graph_whole; /* replays as one record */
};

enum session_end {
	SESSION_OPEN,
	SESSION_BUSY, /* another tool holds CUPTI: its name is reported */
	SESSION_UNFIT, /* no driver, no GPU, too old: not in this process */
	SESSION_FATAL, /* CUPTI reported a fatal state */
};

struct session;

/* Nothing is called yet. All is borrowed; one session per process. NULL: no
 * memory. After it was open it stays: CUPTI may return buffers later on, and
 * session_free() is for tests. */
struct session *session_new(const struct library *l, struct intake *i,
	struct nodes *n, struct kernel_names *names,
	const struct session_kinds *k);
void session_free(struct session *s);

/* Subscribes and enables. `sentence` gives the reason if the result is not
 * SESSION_OPEN, and otherwise which kinds were refused and left out, and
 * warnings; it may be empty. If the result is not SESSION_OPEN, all is as
 * before. */
enum session_end session_open(struct session *s, char sentence[static 512]);
/* Flushes CUPTI's complete buffers; every second of a window. False: CUPTI
 * is no longer usable in this process. */
bool session_flush(struct session *s);
/* Disables, flushes all buffers, unsubscribes. False: a fatal state was met,
 * CUPTI never returns the rest of the window, and CUPTI is no longer usable. */
bool session_close(struct session *s);

/* Records that CUPTI itself lost since the last call; any thread. */
int64_t session_dropped(struct session *s);
/* Another tool's buffers replaced ours: it registered its own, as
 * torch.profiler does. True if more was launched than the buffers that CUPTI
 * holds have room for, and for two flushes it neither returned nor requested
 * one. session_close() then leaves the other tool's buffers alone. */
bool session_displaced(struct session *s);
/* For how long the control thread has been within CUPTI; 0: it is not. Any
 * thread. */
int64_t session_stuck_ns(const struct session *s);

/* Between windows: after session_listen(s, true) the session is subscribed,
 * and receives cuProfilerStart and Stop and graph nodes, as in windows. It
 * costs launches nothing, but no other tool can subscribe. `sentence` as
 * above. */
enum session_end session_listen(struct session *s, bool on,
	char sentence[static 512]);
/* cuProfilerStart and Stop since the last call; any thread. */
void session_profiler(struct session *s, bool *start, bool *stop);

/* The name of the call (driver, cbid) in CUPTI (cudaLaunchKernel_v7000);
 * valid as long as the library; any thread. NULL: unknown, or no window was
 * open yet. */
const char *session_call_name(void *session, bool driver, uint32_t cbid);
