/* openapi.h - the description of the API as OpenAPI 3.1, generated from
 * routes.def, the row types in rows/ and the schemas in schema/. Tests validate
 * every answer against it. */
#pragma once
#include "err.h"
#include <stddef.h>

/* Returns the document, which the caller frees. NULL if a schema cannot be
 * parsed; a test verifies that all can be. */
char *openapi_text(size_t *len, struct err *e);
