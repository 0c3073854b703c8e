/* err.h - the reason for a failure, as a sentence that also says what to do.
 *
 * A function that can fail for a reason outside the program returns bool and
 * takes `struct err *e` as its last argument. If it returns true, it has not
 * changed *e. If it returns false, *e contains the first failure; later
 * failures do not overwrite it. Start with `struct err e = { 0 };`. */
#pragma once
#include <stdbool.h>

/* FILE and UNREACHABLE are codes of kernsift, which has no answers: a file that
 * cannot be read or written, and a server that cannot be reached or cannot answer. */
/*        code          HTTP  name on the wire */
/* clang-format off */
#define ERR_CODES(X)                                    \
	X(INPUT,         400, "bad_request")            \
	X(UNAUTHORIZED,  401, "unauthorized")           \
	X(FORBIDDEN,     403, "forbidden")              \
	X(NOT_FOUND,     404, "not_found")              \
	X(METHOD,        405, "method_not_allowed")     \
	X(TIMEOUT,       408, "timeout")                \
	X(CONFLICT,      409, "conflict")               \
	X(TOO_LARGE,     413, "too_large")              \
	X(URI_LENGTH,    414, "uri_too_long")           \
	X(FORMAT,        415, "unknown_format")         \
	X(HOST,          421, "wrong_host")             \
	X(TRACE,         422, "bad_trace")              \
	X(HEADER_SIZE,   431, "headers_too_large")      \
	X(INTERNAL,      500, "internal")               \
	X(FILE,          500, "file")                   \
	X(UNREACHABLE,   502, "unreachable")            \
	X(SLOW,          504, "too_slow")               \
	X(DATABASE,      503, "database")               \
	X(BUSY,          503, "busy")                   \
	X(DISK_FULL,     507, "disk_full")
/* clang-format on */

enum err_code {
	ERR_NONE,
#define X(code, http, name) ERR_##code,
	ERR_CODES(X)
#undef X
};

struct err {
	enum err_code code;
	char text[400];
};

/* Sets *e. Always returns false, so that a caller can `return err_set(...)`. A
 * sentence that is too long is cut at a UTF-8 character boundary. */
bool err_set(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The sentence for users of the server. ERR_DATABASE and ERR_INTERNAL are faults
 * of the server, whose sentences name its files, hosts and tables: the result
 * refers to the log instead. */
const char *err_public(const struct err *e);

/* The HTTP status of a code, and its name in the JSON of an answer. */
int err_http(enum err_code code);
const char *err_name(enum err_code code);
