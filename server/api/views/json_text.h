/* json_text.h - JSON written straight into bytes, for documents too long to be
 * held as values.
 *
 * Commas come where they belong, as long as the bytes before are still in the
 * buffer; what is opened is closed by who opened it. Every string is made
 * valid text and escaped here. */
#pragma once
#include "buf.h"
#include <stdint.h>

void json_text_open(struct buf *b, char bracket); /* '{' or '[' */
void json_text_close(struct buf *b, char bracket); /* '}' or ']' */
void json_text_key(struct buf *b, const char *key);
void json_text_string(struct buf *b, const char *s, size_t len);
void json_text_whole(struct buf *b, int64_t v);
/* null if it is not finite. */
void json_text_real(struct buf *b, double v);
/* Nanoseconds as microseconds with three decimals, exactly. */
void json_text_us(struct buf *b, int64_t ns);
/* A value that is JSON already. */
void json_text_raw(struct buf *b, const char *json, size_t len);
