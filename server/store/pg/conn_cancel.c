/* conn_cancel.c - a second descriptor of one socket: shutting that down never meets
 * another's, whose number came free. */
#include "conn_cancel.h"
#include "db_conn.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

void leash_init(struct leash *l)
{
	*l = (struct leash){ .line = -1 };
	pthread_mutex_init(&l->lock, NULL);
}

void leash_release(struct leash *l)
{
	leash_drop(l);
	pthread_mutex_destroy(&l->lock);
}

bool leash_hold(struct leash *l, struct db *db, struct err *e)
{
	pthread_mutex_lock(&l->lock);
	if (l->line < 0 && !l->cut)
		l->line = fcntl(PQsocket(db->pg), F_DUPFD_CLOEXEC, 0);
	bool ok = !l->cut;
	pthread_mutex_unlock(&l->lock);
	return ok || err_set(e, ERR_BUSY, "the server stops");
}

void leash_drop(struct leash *l)
{
	pthread_mutex_lock(&l->lock);
	if (l->line >= 0)
		close(l->line);
	l->line = -1;
	pthread_mutex_unlock(&l->lock);
}

void leash_cut(struct leash *l)
{
	pthread_mutex_lock(&l->lock);
	l->cut = true;
	if (l->line >= 0)
		shutdown(l->line, SHUT_RDWR);
	pthread_mutex_unlock(&l->lock);
}
