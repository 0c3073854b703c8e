/* conn_cancel.h - a connection of one thread that another thread can shut
 * down.
 *
 * Any operation of the first thread that waits on it then fails at once. The
 * lock protects the two fields after it; no other lock is taken under it. */
#pragma once
#include "db.h"
#include <pthread.h>

struct conn_cancel {
	pthread_mutex_t lock;
	int fd; /* a duplicate of the connection's socket; -1 none */
	bool canceled;
};

void conn_cancel_init(struct conn_cancel *c);
void conn_cancel_release(struct conn_cancel *c);
/* From here on this connection is the one that is shut down. ERR_BUSY if
 * conn_cancel_now() was called before. */
bool conn_cancel_attach(struct conn_cancel *c, struct db *db, struct err *e);
/* Before the connection is freed. */
void conn_cancel_detach(struct conn_cancel *c);
/* Called by another thread; lasts for good. */
void conn_cancel_now(struct conn_cancel *c);
