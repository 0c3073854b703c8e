/* url_encode.h - percent-encodes text for a part of a URL (RFC 3986) */
#pragma once
#include "buf.h"

/* Adds the text: letters, digits and - . _ ~ as they are, other bytes as %XX. */
void url_encode(struct buf *b, const char *text, size_t len);
