/* multipart.h - the one file of a form, while it arrives.
 *
 * A page posts a file as multipart/form-data (RFC 7578). The parser is fed what
 * arrives, cut anywhere, and passes the file's bytes on at once: it keeps a part's
 * headers and nothing else. A form with no file, two files or other fields is
 * refused: the parameters of an upload are in the query. */
#pragma once
#include "err.h"
#include <stddef.h>

enum { MULTIPART_BOUNDARY = 70, MULTIPART_HEADERS = 4096 };

struct multipart {
	char delimiter[MULTIPART_BOUNDARY + 5]; /* "\r\n--" and the boundary */
	size_t delimiter_len;
	size_t matched; /* of the delimiter, so far */
	enum {
		FORM_PREAMBLE,
		FORM_AFTER,
		FORM_HEADERS,
		FORM_FILE,
		FORM_END
	} at;
	char headers[MULTIPART_HEADERS];
	size_t headers_len;
	int files;
	char file_name[256]; /* valid UTF-8; "" none */
};

/* Whether the Content-Type is a form's; false with *e untouched if it is something
 * else, with *e set if it is a form without a boundary. */
bool multipart_init(struct multipart *m, const char *content_type,
	struct err *e);

/* Takes the file's bytes; false stops the parser. */
typedef bool multipart_sink(void *ctx, const void *bytes, size_t len,
	struct err *e);

bool multipart_feed(struct multipart *m, const void *bytes, size_t len,
	multipart_sink *sink, void *ctx, struct err *e);
/* Whether the form is whole and held its file. */
bool multipart_end(const struct multipart *m, struct err *e);
