/* fake_cupti.h - the declarations that the files of the fake libcupti share. */
#pragma once
#include "door.h"
#include "faults.h"
#include "ledger.h"
#pragma GCC visibility push(hidden)

/* ---- who may call (cupti_session.c) */

enum fake_may {
	MAY_ALWAYS, /* a query only */
	MAY_SUBSCRIBED, /* needs a subscriber; not from any callback */
	MAY_FREE, /* not from any callback */
	MAY_RESOURCE, /* from API and resource callbacks too */
};
/* Aborts with a message if real libcupti would not survive the call. */
void fake_enter(const char *function, enum fake_may may);
/* In a callback for a buffer: +1 and -1. */
void fake_in_buffer(int by);
bool fake_subscribed(void);
void fake_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id,
	const void *data);
/* Reports a fatal error once; all later calls fail. */
void fake_fatal(void);
bool fake_is_fatal(void);
/* Aborts if a client did not restore an attribute (cupti_attributes.c). */
void fake_check_restored(void);

/* ---- what is recorded (cupti_kinds.c) */

bool fake_enabled(CUpti_ActivityKind kind);
bool fake_call_enabled(bool driver, uint32_t cbid);
bool fake_any_enabled(void);
bool fake_zeroed(void);
bool fake_per_thread(void);
/* Bytes of a record of this version; 0: unknown to it. */
size_t fake_size(uint32_t kind);
enum { FAKE_STRANGE = 60 }; /* a kind that no header has */

void fake_disable_all(void);

/* ---- buffers (cupti_lanes.c, cupti_lend.c, cupti_deliver.c) */

struct fake_buffer {
	uint8_t *bytes;
	size_t size, at, last; /* last: where the last record begins */
	size_t most, records;
	int64_t *until_ns; /* of each record: when the GPU is done */
	int64_t busy_ns; /* the latest of them */
	uint64_t serial;
	bool theirs; /* another client's */
};

struct fake_lane;
/* The calling thread's lane, locked: no kind is enabled or disabled meanwhile. */
struct fake_lane *fake_lane_lock(void);
void fake_lane_unlock(struct fake_lane *l);
/* A record's place, zeroed; NULL if libcupti loses it, which is counted. */
void *fake_lane_put(struct fake_lane *l, uint32_t kind, int64_t until_ns);
/* Waits until no thread is between lock and unlock. */
void fake_lanes_barrier(void);
/* Takes a complete buffer, or with `all` any; false if there is none. */
bool fake_lanes_take(bool all, struct fake_buffer *b);
/* Records in lanes, and the oldest serial of a buffer that has any. */
size_t fake_lanes_records(uint64_t *oldest);

/* Calls the client; bytes NULL if it has none. */
void fake_request(struct fake_buffer *b);
void fake_disown(uint8_t *bytes);
void fake_return(struct fake_buffer *b, size_t valid);
uint64_t fake_serial(void); /* of the newest */
bool fake_registered(void);
bool fake_stolen(void);
/* A full buffer, to be returned when the GPU is done. */
void fake_full(const struct fake_buffer *b);
/* Delivers one of them in the launching thread, if that is configured. */
void fake_deliver_here(void);
void fake_deliver_all(bool all);
/* Records that no client has received yet. */
size_t fake_undelivered(void);
void fake_worker_start(void);
void fake_names_gone(void (*release)(void *ctx), void *ctx);

/* ---- events (cupti_events.c) */

extern const struct fake_events fake_events;
uint64_t fake_node_id(CUgraphNode node); /* calls the driver */
int64_t fake_now_ns(void);
uint32_t fake_dice(uint32_t sides);

#pragma GCC visibility pop
