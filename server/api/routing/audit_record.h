/* audit_record.h - a change is recorded in the audit log (audit.h) before it is tried.
 *
 * A route changes something if it is not GET and needs more than the scope `read`. The
 * dispatcher begins the record of those once everything is read and allowed, and ends it
 * with the answer's status. Two handlers begin their own: an upload when its first bytes
 * are stored, and a sign-in once its token is known. If the record cannot be written, the
 * change is rejected. */
#pragma once
#include "call.h"

/* Once a call: the second does nothing. False: do not make the change. */
bool audit_record_begin(struct call *c, struct err *e);
/* Adds what the path does not contain: the project (NULL: unchanged) and a sentence on
 * what the handler did, without secrets. */
void audit_record_describe(struct call *c, const char *project, const char *fmt,
	...) __attribute__((format(printf, 3, 4)));
/* Records the same for the admins of another project too, before it is done. Once a
 * call. */
bool audit_record_also(struct call *c, const char *project, struct err *e);
/* Does nothing if none was begun. A failure is logged: the row has the rest. */
void audit_record_end(struct call *c, int status);
