/* openapi.h - the API described for programs: OpenAPI 3.1, made from routes.def, the row
 * types in rows/ and the schemas in schema/. Tests validate every answer against it. */
#pragma once
#include "err.h"
#include <stddef.h>

/* The document; the caller frees it. NULL if a schema does not parse, which a test
 * excludes. */
char *openapi_text(size_t *len, struct err *e);
