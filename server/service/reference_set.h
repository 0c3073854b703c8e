/* reference_set.h - a reference set from its document, as it was uploaded. */
#pragma once
#include "service.h"
#include "reference.h"

struct reference_set {
	const char *json; /* as it came */
	size_t len;
	struct reference is;
};

/* ERR_NOT_FOUND with the names of those that exist. */
bool reference_set_read(struct service_call *c, const char *name,
	const struct catalog *catalog, struct reference_set *out,
	struct err *e);
