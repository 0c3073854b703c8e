/* conn_cancel.h - a connection of one thread that another thread can shut down.
 *
 * An operation of the first thread that waits for this connection then fails at
 * once. The lock protects the two fields after it; no other lock is taken under
 * it. */
#pragma once
#include "db.h"
#include <pthread.h>

struct conn_cancel {
	pthread_mutex_t lock;
	int fd; /* duplicate of the connection's socket; -1 none */
	bool canceled;
};

void conn_cancel_init(struct conn_cancel *c);
void conn_cancel_release(struct conn_cancel *c);
/* From now on conn_cancel_now() shuts down this connection. ERR_BUSY if
 * conn_cancel_now() was called before. */
bool conn_cancel_attach(struct conn_cancel *c, struct db *db, struct err *e);
/* Call this before the connection is freed. */
void conn_cancel_detach(struct conn_cancel *c);
/* Called by another thread: shuts down the connection. Later calls of
 * conn_cancel_attach() fail. */
void conn_cancel_now(struct conn_cancel *c);
