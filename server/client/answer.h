/* answer.h - what the server said, read from its JSON.
 *
 * An answer is anybody's bytes until it is understood: what is not the JSON
 * that was asked for becomes a sentence, never a guess. */
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
	bool existing; /* the same was there already */
	char sha256[65]; /* of the bytes that are stored; "" not told */
	int64_t bytes; /* how many; -1 not told */
	char stage[32]; /* of the server's progress; "" none */
	int64_t done_bytes, total_bytes; /* -1 unknown */
	char error[400]; /* of a failed one */
	int64_t runs[ANSWER_RUNS];
	int runs_n;
};

/* An upload, as POST /uploads and GET /uploads/{id} tell it. */
bool answer_upload(const char *body, size_t len, struct upload_answer *out,
	struct err *e);
struct set_answer {
	char name[400];
	int64_t operators, shapes;
	bool existing;
};

/* A set, as POST /sets tells it. */
bool answer_set(const char *body, size_t len, struct set_answer *out,
	struct err *e);
/* Always false: *e gets the envelope's sentence as it is or, where there is
 * no envelope, one that names the status. Control characters, which a
 * terminal would obey, are left out. */
bool answer_error(int status, const char *body, size_t len, struct err *e);

const char *upload_state_name(enum upload_state s);
