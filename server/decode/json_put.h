/* json_put.h - writes one flat JSON object, value by value.
 *
 * For what a decoder makes up itself, such as the fields of an NVTX payload.
 * Always valid JSON, whatever the texts hold; where the buffer's ceiling is
 * passed, the buffer is `full` and its bytes are none. */
#pragma once
#include "buf.h"
#include <stdint.h>

void json_put_open(struct buf *b);
/* A field's name; then its value by one of those below. */
void json_put_key(struct buf *b, const char *s, size_t len);
void json_put_text(struct buf *b, const char *s, size_t len);
void json_put_int(struct buf *b, int64_t v);
void json_put_uint(struct buf *b, uint64_t v);
/* null where it is not finite. */
void json_put_real(struct buf *b, double v);
void json_put_null(struct buf *b);
void json_put_close(struct buf *b);
