/* answer.h - parses the server's answers: uploads, reference sets, attached
 * files, errors.
 *
 * An answer may contain any bytes. If it is not the expected JSON, the result
 * is an error message, never a guess. */
#pragma once
#include "err.h"
#include <stddef.h>
#include <stdint.h>

enum { ANSWER_RUNS = 4096 };

enum upload_state {
	UPLOAD_RECEIVING,
	UPLOAD_QUEUED,
	UPLOAD_WORKING,
	UPLOAD_DONE,
	UPLOAD_FAILED,
};

struct upload_answer {
	int64_t id;
	enum upload_state state;
	bool existing; /* the server already had this upload */
	char sha256[65]; /* digest of the stored bytes; "" unknown */
	int64_t bytes; /* number of stored bytes; -1 unknown */
	char stage[32]; /* what the server does now; "" none */
	int64_t done_bytes, total_bytes; /* -1 unknown */
	char error[400]; /* why it failed */
	int64_t runs[ANSWER_RUNS];
	int runs_n;
};

/* Reads an answer of POST /uploads or GET /uploads/{id}. */
bool answer_upload(const char *body, size_t len, struct upload_answer *out,
	struct err *e);
struct set_answer {
	char name[400];
	int64_t operators, shapes;
	bool existing;
};

/* Reads an answer of POST /reference-sets. */
bool answer_set(const char *body, size_t len, struct set_answer *out,
	struct err *e);

/* More findings than the server has about kernel profiles. */
enum { ANSWER_FINDINGS = 12 };

struct attach_answer {
	int64_t profiles, matched, with_shape; /* -1: it is about measures */
	int measures; /* of the run; -1: it is about kernel profiles */
	bool existing;
	char findings[ANSWER_FINDINGS][500];
	int findings_n;
};

/* Reads an answer of POST /runs/{id}/kernel-profiles or of POST
 * /runs/{id}/measures. */
bool answer_attach(const char *body, size_t len, struct attach_answer *out,
	struct err *e);
/* Sets *e to the error message of the answer or, if there is none, to a message
 * with the status. Control characters are replaced by spaces, because a
 * terminal would execute them. The code is ERR_UNREACHABLE if the server cannot answer
 * now or is not kernsiftd, ERR_UNAUTHORIZED or ERR_FORBIDDEN if it rejects the token,
 * otherwise ERR_INTERNAL. Always returns false. */
bool answer_error(int status, const char *body, size_t len, struct err *e);

const char *upload_state_name(enum upload_state s);
