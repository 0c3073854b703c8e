/* conn_cancel.h - a thread's connection that another thread can cut, so that whatever
 * the first waits for on it fails at once.
 *
 * The lock protects the two fields behind it; nothing else is taken under it. */
#pragma once
#include "db.h"
#include <pthread.h>

struct leash {
	pthread_mutex_t lock;
	int line; /* a descriptor of its own of the connection's socket; -1 */
	bool cut;
};

void leash_init(struct leash *l);
void leash_release(struct leash *l);
/* From here on this connection is cut; false where that was asked already. */
bool leash_hold(struct leash *l, struct db *db, struct err *e);
/* Before the connection is freed. */
void leash_drop(struct leash *l);
/* For good. Another thread's. */
void leash_cut(struct leash *l);
