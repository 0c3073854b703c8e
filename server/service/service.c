/* service.c - lends database connections to requests, and counts them. */
#include "service.h"
#include "db.h"

struct db *service_lend(struct service *s, struct err *e)
{
	struct db *db = db_borrow(s->pool, e);
	if (db)
		atomic_fetch_add(&s->lent, 1);
	return db;
}

void service_take_back(struct service *s, struct db *db)
{
	db_return(s->pool, db);
	atomic_fetch_sub(&s->lent, 1);
}

bool service_db(struct service_call *c, struct err *e)
{
	if (!c->db)
		c->db = service_lend(c->service, e);
	return c->db;
}

void service_db_return(struct service_call *c)
{
	if (c->db)
		service_take_back(c->service, c->db);
	c->db = NULL;
}
