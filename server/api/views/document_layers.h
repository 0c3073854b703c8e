/* document_layers.h - layers and groups of a profile, as document.h tells. */
#pragma once
#include "profile.h"
#include <jansson.h>

/* Adds `breakdown` and `groups` to a run. */
void document_layers(const struct profile *p, json_t *run);
