/* drop.c - deletes the chunks of an upload whose row is gone. */
#include "drop.h"
#include "sql.h"

bool drop_chunks(struct db *db, int64_t upload, struct err *e)
{
	struct sql_params p = { 0 };
	sql_int8(&p, upload);
	return sql_run(db, "SET LOCAL statement_timeout = 0", NULL, NULL, e) &&
	       sql_run(db, "DELETE FROM upload_chunk WHERE upload_id = $1", &p,
		       NULL, e);
}
