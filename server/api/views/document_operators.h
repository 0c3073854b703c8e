/* document_operators.h - operators, shapes and what nobody knows, as part of
 * document.h. */
#pragma once
#include "profile.h"
#include <jansson.h>

json_t *document_operators(const struct profile *p);
