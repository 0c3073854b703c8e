/* conn_cancel.c - shuts a connection down through a second descriptor of its
 * socket.
 *
 * The connection's own descriptor cannot be used for this, because it may be
 * closed at any time and its number used for another file. */
#include "conn_cancel.h"
#include "db_conn.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

void conn_cancel_init(struct conn_cancel *c)
{
	*c = (struct conn_cancel){ .fd = -1 };
	pthread_mutex_init(&c->lock, NULL);
}

void conn_cancel_release(struct conn_cancel *c)
{
	conn_cancel_detach(c);
	pthread_mutex_destroy(&c->lock);
}

bool conn_cancel_attach(struct conn_cancel *c, struct db *db, struct err *e)
{
	pthread_mutex_lock(&c->lock);
	if (c->fd < 0 && !c->canceled)
		c->fd = fcntl(PQsocket(db->pg), F_DUPFD_CLOEXEC, 0);
	bool ok = !c->canceled;
	pthread_mutex_unlock(&c->lock);
	return ok || err_set(e, ERR_BUSY, "the server stops");
}

void conn_cancel_detach(struct conn_cancel *c)
{
	pthread_mutex_lock(&c->lock);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	pthread_mutex_unlock(&c->lock);
}

void conn_cancel_now(struct conn_cancel *c)
{
	pthread_mutex_lock(&c->lock);
	c->canceled = true;
	if (c->fd >= 0)
		shutdown(c->fd, SHUT_RDWR);
	pthread_mutex_unlock(&c->lock);
}
