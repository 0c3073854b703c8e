/* service.c - lends database connections to requests, and counts them. */
#include "service.h"
#include "db.h"

bool service_db(struct service_call *c, struct err *e)
{
	if (!c->db && (c->db = db_borrow(c->service->pool, e)))
		atomic_fetch_add(&c->service->lent, 1);
	return c->db;
}

void service_db_return(struct service_call *c)
{
	if (!c->db)
		return;
	db_return(c->service->pool, c->db);
	atomic_fetch_sub(&c->service->lent, 1);
	c->db = NULL;
}
