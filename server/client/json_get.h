/* json_get.h - members of the server's JSON, as a terminal may have them. */
#pragma once
#include "arena.h"
#include <jansson.h>
#include <stdint.h>

/* A copy without what a terminal would obey; "" where it is no text. */
char *told_text(struct arena *a, const json_t *v, const char *key);
/* NaN where it is no number. */
double told_real(const json_t *v, const char *key);
/* 0 where it is no whole number. */
int64_t told_whole(const json_t *v, const char *key);
