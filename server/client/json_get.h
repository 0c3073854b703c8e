/* json_get.h - reads members of the server's JSON so that a terminal can print
 * them safely. */
#pragma once
#include "arena.h"
#include <jansson.h>
#include <stdint.h>

/* A copy of the text without control characters; "" if the member is not a
 * text. */
char *json_get_text(struct arena *a, const json_t *v, const char *key);
/* The same of an item of a list. */
char *json_get_item(struct arena *a, const json_t *list, size_t i);
/* The texts of a list, with the separator between them; "" without any. */
const char *json_get_joined(struct arena *a, const json_t *v, const char *key,
	const char *separator);
/* NaN if the member is not a number. */
double json_get_real(const json_t *v, const char *key);
/* 0 if the member is not an integer. */
int64_t json_get_whole(const json_t *v, const char *key);
