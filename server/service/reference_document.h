/* reference_document.h - a reference set from its document, as it was uploaded. */
#pragma once
#include "service.h"
#include "reference.h"

struct reference_document {
	const char *json; /* as it came */
	size_t len;
	struct reference is;
};

/* ERR_NOT_FOUND with the names of those that exist. */
bool reference_document_read(struct service_call *c, const char *name,
	const struct catalog *catalog, struct reference_document *out,
	struct err *e);
