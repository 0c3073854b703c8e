/* json_text.h - writes JSON directly into a buffer, for documents too long to
 * keep as JSON values in memory.
 *
 * Commas are inserted automatically; for this, the preceding bytes must still
 * be in the buffer. The caller must close every object and array that it opens.
 * Every string is converted to valid UTF-8 and escaped here. */
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
/* Writes nanoseconds as microseconds with three decimals, without rounding. */
void json_text_us(struct buf *b, int64_t ns);
/* Writes a value that is already JSON. */
void json_text_raw(struct buf *b, const char *json, size_t len);
