/* tls.h - the certificate and the key that https is served with.
 *
 * The door to GnuTLS. Both files are PEM, the certificate with those that lead
 * to its root. What could not serve is refused when the server starts: a key
 * that others may read, one that is not the certificate's, a file that is
 * neither. A new certificate counts from the next start. */
#pragma once
#include "err.h"

struct tls {
	char *cert, *key; /* PEM; NULL: no TLS */
};

/* TLS 1.2 and 1.3, in the words of GnuTLS. */
#define TLS_VERSIONS "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* Both names, or neither ("" or NULL), which leaves *t empty. */
bool tls_read(struct tls *t, const char *cert, const char *key, struct err *e);
/* Also what is read before: the key is wiped. */
void tls_release(struct tls *t);
