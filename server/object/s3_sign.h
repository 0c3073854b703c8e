/* s3_sign.h - signs a request to an S3-compatible object storage.
 *
 * Signature Version 4 of Amazon Web Services, with the signature in the header
 * Authorization. Not that of libcurl: version 7.88 (Debian 12) does not send the digest
 * of the body, without which object storages reject a request. */
#pragma once
#include "sha256.h"
#include <time.h>

/* Who sends the request. `token`: of temporary credentials, otherwise "". */
struct s3_credentials {
	const char *key_id, *secret, *token;
};

struct s3_request {
	const char *method;
	const char *host; /* with the port, as in the header Host */
	const char *path; /* percent-encoded, begins with a slash */
	const char *query; /* percent-encoded, sorted by name; "": none */
	const char *range; /* value of the header Range; "": none */
	const char *region;
	char body_sha256[SHA256_HEX];
	time_t at;
};

enum { S3_DATE = 17, S3_AUTHORIZATION = 800 };

/* Values of the headers X-Amz-Date and Authorization. */
struct s3_signature {
	char date[S3_DATE];
	char authorization[S3_AUTHORIZATION];
};

void s3_sign(const struct s3_credentials *who, const struct s3_request *r,
	struct s3_signature *out);
