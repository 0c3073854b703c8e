/* multipart.h - extracts the files of an HTML form while the form arrives.
 *
 * A page sends a file as multipart/form-data (RFC 7578). The parser receives
 * the body in pieces that may end anywhere, and passes the bytes of the file on
 * at once. It stores only the headers of the current form part. A form has one
 * file, and may have files with the name "provenance" (provenance.h). A
 * form without a file, with other fields, or with two files whose name is not
 * MULTIPART_SEVERAL is rejected, because the parameters of an upload are in the
 * query. */
#pragma once
#include "err.h"
#include <stddef.h>

enum { MULTIPART_BOUNDARY = 70, MULTIPART_HEADERS = 4096 };
#define MULTIPART_SEVERAL "files"

struct multipart {
	char delimiter[MULTIPART_BOUNDARY + 5]; /* "\r\n--" and the boundary */
	size_t delimiter_len;
	size_t matched; /* number of bytes of the delimiter found so far */
	enum {
		FORM_PREAMBLE,
		FORM_AFTER,
		FORM_HEADERS,
		FORM_FILE,
		FORM_END
	} at;
	char headers[MULTIPART_HEADERS];
	size_t headers_len;
	int files; /* number of files that began so far */
	bool several; /* the fields are named MULTIPART_SEVERAL */
	char file_name[256]; /* of the last one; valid UTF-8; "" none */
	int provenances; /* number of provenance files so far */
	bool in_provenance; /* whether the current part is one */
	char provenance_name[256]; /* of the current one */
};

/* Returns true if the Content-Type is that of a form. If it is another type,
 * returns false and leaves *e unchanged. If it is a form without a boundary,
 * returns false and sets *e. */
bool multipart_init(struct multipart *m, const char *content_type,
	struct err *e);

/* Receives bytes of a file; if it returns false, the parser stops. */
typedef bool multipart_sink(void *ctx, const void *bytes, size_t len,
	struct err *e);

bool multipart_feed(struct multipart *m, const void *bytes, size_t len,
	multipart_sink *sink, void *ctx, struct err *e);
/* Whether the form is complete and contained a file. */
bool multipart_end(const struct multipart *m, struct err *e);
