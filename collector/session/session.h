/* session.h - one window's use of CUPTI: subscribe, enable, flush, disable.
 *
 * Called by the control thread alone where nothing else is said, never by an
 * application's. Every result is looked at; none ends the host. cuptiFinalize is
 * never called. What is set for a window is set back at its end: between windows
 * another tool finds CUPTI as it left it.
 *
 * CUPTI admits one subscriber, and its activity callbacks are the process's.
 * From 13.3 on, with a driver of r610, several subscribers share it through calls
 * of their own (…_v2), which may not be mixed with these. They are not used here;
 * they would be another session.c behind this header, which therefore shows
 * neither handles nor CUPTI's kinds, and the layouts that CUPTI then tells would
 * fill struct layout (records.h). */
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
	SESSION_BUSY, /* somebody else holds CUPTI: its name is told */
	SESSION_UNFIT, /* no driver, no GPU, too old: not in this process */
	SESSION_FATAL, /* CUPTI reported a fatal state */
};

struct session;

/* Nothing is called yet. All is borrowed; one session per process. NULL: no
 * memory. Once it was open it stays: CUPTI may hand over buffers later on, and
 * session_free() is for tests. */
struct session *session_new(const struct library *l, struct intake *i,
	struct nodes *n, struct names *names, const struct session_kinds *k);
void session_free(struct session *s);

/* Subscribes and enables. `sentence` tells why it is not SESSION_OPEN, and else
 * which kinds were refused and left out and what to beware of; it may be empty.
 * Where it is not SESSION_OPEN, all is as before. */
enum session_end session_open(struct session *s, char sentence[static 512]);
/* Asks CUPTI for complete buffers; every second of a window. False: CUPTI is of
 * no more use in this process. */
bool session_flush(struct session *s);
/* Disables, asks for all buffers, unsubscribes. False: a fatal state was met, the
 * rest of the window is with CUPTI for ever, and CUPTI is of no more use. */
bool session_close(struct session *s);

/* Records that CUPTI itself lost since it was asked last; any thread. */
int64_t session_dropped(struct session *s);
/* Somebody else's buffers instead of ours: another tool registered its own, as
 * torch.profiler does. True where more was launched than the buffers that CUPTI
 * holds have room for, and for two flushes it neither gave one back nor asked for
 * one. session_close() then leaves the other's buffers alone. */
bool session_displaced(struct session *s);
/* For how long the control thread has been within CUPTI; 0: it is not. Any
 * thread. */
int64_t session_stuck_ns(const struct session *s);

/* Between windows: from session_listen(s, true) on the session is subscribed, and
 * hears of cuProfilerStart and Stop and of graph nodes, as it does in windows. It
 * costs launches nothing, but nobody else can subscribe. `sentence` as above. */
enum session_end session_listen(struct session *s, bool on,
	char sentence[static 512]);
/* cuProfilerStart and Stop since asked last; any thread. */
void session_profiler(struct session *s, bool *start, bool *stop);

/* How (driver, cbid) is called, as CUPTI tells it (cudaLaunchKernel_v7000);
 * lives as long as the library; any thread. NULL: unknown, or no window was open
 * yet. */
const char *session_call_name(void *session, bool driver, uint32_t cbid);
