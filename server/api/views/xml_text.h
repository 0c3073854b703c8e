/* xml_text.h - text as XML 1.0 may hold it. */
#pragma once
#include "buf.h"

/* Of an element or of an attribute in double quotes. What XML 1.0 cannot hold, not
 * even escaped, becomes U+FFFD. `s` is UTF-8. */
void xml_text(struct buf *b, const char *s, size_t len);
