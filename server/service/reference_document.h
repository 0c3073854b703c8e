/* reference_document.h - reads a reference set from its stored document, which
 * is unchanged since its upload. */
#pragma once
#include "service.h"
#include "reference.h"

struct reference_document {
	const char *json; /* as it was uploaded */
	size_t len;
	struct reference is;
};

/* ERR_NOT_FOUND with the names of the existing reference sets. */
bool reference_document_read(struct service_call *c, const char *name,
	const struct catalog *catalog, struct reference_document *out,
	struct err *e);
