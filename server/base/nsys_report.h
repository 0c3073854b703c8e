/* nsys_report.h - converts a report of Nsight Systems (.nsys-rep) with the
 * program `nsys`, the only reader of that format.
 *
 * The result is the SQLite export of the report, as an open file that has no
 * name any more, so it is gone when it is closed or the process ends. */
#pragma once
#include "err.h"

/* Whether `path` is a regular file that begins like a report, and `nsys` is in
 * an absolute folder of PATH. */
bool nsys_report_convertible(const char *path);

/* Runs `nsys export` in a private temporary folder (in TMPDIR, otherwise /tmp),
 * and removes the folder with all that nsys left there. Returns the open export, or -1 with a message.
 *
 * SIGHUP, SIGINT, SIGQUIT or SIGTERM ends nsys, removes the folder and then
 * ends this process as the signal would have done without this function. Call
 * it only if no other thread of the process takes these signals. */
int nsys_report_convert(const char *path, struct err *e);
