/* json_get.h - members of the server's JSON, safe for a terminal. */
#pragma once
#include "arena.h"
#include <jansson.h>
#include <stdint.h>

/* A copy without control characters; "" if it is not text. */
char *json_get_text(struct arena *a, const json_t *v, const char *key);
/* NaN if it is not a number. */
double json_get_real(const json_t *v, const char *key);
/* 0 if it is not a whole number. */
int64_t json_get_whole(const json_t *v, const char *key);
