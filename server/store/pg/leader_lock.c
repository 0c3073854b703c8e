/* leader_lock.c - takes an advisory lock of the session. */
#include "leader_lock.h"
#include "sql.h"

/* Any number that no other lock uses. If the holder takes the lock again,
 * PostgreSQL only increases a count. */
#define LEADER_LOCK_KEY "7236284921357813"

bool leader_lock_try(struct db *db, bool *leader, struct err *e)
{
	struct result r;
	if (!sql_run(db, "SELECT pg_try_advisory_lock(" LEADER_LOCK_KEY ")",
		    NULL, &r, e))
		return false;
	*leader = result_next(&r) && result_bool(&r);
	result_release(&r);
	return true;
}
