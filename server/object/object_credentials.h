/* object_credentials.h - reads the file of credentials that Amazon's tools use, too. */
#pragma once
#include "err.h"

enum { OBJECT_KEY = 256, OBJECT_TOKEN = 4096 };

struct object_credentials {
	char key_id[OBJECT_KEY], secret[OBJECT_KEY];
	char token[OBJECT_TOKEN]; /* "": none */
};

/* Reads the section [default]: aws_access_key_id, aws_secret_access_key and, if they are
 * temporary, aws_session_token. ERR_FILE with a sentence. */
bool object_credentials_read(const char *file, struct object_credentials *out,
	struct err *e);
