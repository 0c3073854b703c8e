/* conn.c - what went wrong on a connection, as code and sentence. */
#include "db_conn.h"

/* The first line of libpq's text, without PostgreSQL's severity in front. */
static const char *first_line(const char *text, char *out, size_t size)
{
	static const char *const heads[] = { "FATAL:  ", "ERROR:  ",
		"PANIC:  " };
	size_t n = strcspn(text, "\n");
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		const char *at = strstr(text, heads[i]);
		if (at && at < text + n) {
			n -= (size_t)(at + strlen(heads[i]) - text);
			text = at + strlen(heads[i]);
		}
	}
	snprintf(out, size, "%.*s", (int)n, text);
	return out;
}

static bool starts(const char *state, const char *with)
{
	return !strncmp(state, with, strlen(with));
}

/* Whether it said so as it went away, or while it starts or stops. */
static bool going(const char *state)
{
	return starts(state, "08") || starts(state, "57P");
}

/* A code of another kind than "the database said no". */
static enum err_code code_of(const char *state)
{
	if (!strcmp(state, "53100")) /* disk_full */
		return ERR_DISK_FULL;
	if (!strcmp(state, "57014")) /* query_canceled */
		return ERR_SLOW;
	if (!strcmp(state, "40001") || !strcmp(state, "40P01"))
		return ERR_CONFLICT; /* serialisation failure, deadlock */
	/* Text that PostgreSQL cannot hold came past the door. */
	if (!strcmp(state, "22021") || !strcmp(state, "22P05"))
		return ERR_INPUT;
	/* A value, a constraint, a limit: nothing that trying again heals. */
	if (starts(state, "22") || starts(state, "23") || starts(state, "54"))
		return ERR_INTERNAL;
	return ERR_DATABASE;
}

bool conn_err(struct db *db, const PGresult *res, struct err *e)
{
	char line[300];
	const char *state =
		res ? PQresultErrorField(res, PG_DIAG_SQLSTATE) : NULL;
	const char *text =
		res ? PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY) : NULL;
	if (!text)
		text = PQerrorMessage(db->pg);
	first_line(text, line, sizeof line);
	snprintf(db->sqlstate, sizeof db->sqlstate, "%s", state ? state : "");
	if (!db->pg || PQstatus(db->pg) != CONNECTION_OK || !state ||
		going(state))
		return err_set(e, ERR_DATABASE,
			"the database is not reachable: %s", line);
	enum err_code code = code_of(state);
	if (code == ERR_DISK_FULL)
		return err_set(e, code, "the database's disk is full: %s",
			line);
	if (code == ERR_SLOW)
		return err_set(e, code,
			"the database took too long: %s; ask for less, or "
			"raise --statement_timeout_s, which is %d",
			line, db->statement_s);
	return err_set(e, code, "the database answers: %s", line);
}
