/* audit_record.h - records a change in the audit log (audit.h) before the
 * change is made.
 *
 * A route makes a change if its method is not GET and it requires a higher
 * scope than `read`. For these routes, the dispatcher begins the record when
 * the request has been read and allowed, and ends the record with the status of
 * the answer. Two handlers begin the record themselves: an upload when its
 * first bytes are stored, and a sign-in when its token is known. If the record
 * cannot be written, the change is rejected. */
#pragma once
#include "call.h"

/* Begins the record. A second call does nothing. If it returns false, the
 * change must not be made. */
bool audit_record_begin(struct call *c, struct err *e);
/* Adds to the record what the path does not contain: the project (NULL:
 * unchanged), and a sentence about what the handler did, without secrets. */
void audit_record_describe(struct call *c, const char *project, const char *fmt,
	...) __attribute__((format(printf, 3, 4)));
/* Writes a second record of this change, which the admins of another project
 * can read, before the change is made. At most once per API call. */
bool audit_record_also(struct call *c, const char *project, struct err *e);
/* Ends the record, if one was begun. A failure is only logged, because the row
 * already says what was tried. */
void audit_record_end(struct call *c, int status);
