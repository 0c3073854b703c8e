/* leader_lock.c - an advisory lock of the session. */
#include "leader_lock.h"
#include "sql.h"

/* Any number will do that nobody else takes. Taken again by who has it, it is
 * only counted. */
#define LOCK_KEY "7236284921357813"

bool turn_take(struct db *db, bool *mine, struct err *e)
{
	struct result r;
	if (!sql_run(db, "SELECT pg_try_advisory_lock(" LOCK_KEY ")", NULL, &r,
		    e))
		return false;
	*mine = result_next(&r) && result_bool(&r);
	result_release(&r);
	return true;
}
