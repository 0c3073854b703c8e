/* listener.h - "ADDR:PORT" becomes a listening socket, with the certificate and
 * the key if https is served.
 *
 * The door to GnuTLS. Both files are PEM, the certificate with those that lead
 * to its root. What could not serve is refused when the server starts: a key
 * that others may read, one that is not the certificate's, a file that is
 * neither. A new certificate counts from the next start. */
#pragma once
#include "err.h"

enum { LISTENER_HOST = 256 };

struct listener {
	char *cert, *key; /* PEM; NULL: no TLS */
	int fd, port; /* not blocking; the port that it got */
};

/* TLS 1.2 and 1.3, in the words of GnuTLS. */
#define LISTENER_TLS_VERSIONS "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* Splits "127.0.0.1:80", "[::1]:80" or "name:80". */
bool listener_split(const char *text, char host[LISTENER_HOST], int *port,
	struct err *e);
/* Reads both files if they are named (not "" or NULL), then binds. The socket
 * is the caller's; on failure fd is -1 and nothing is held. */
bool listener_open(struct listener *l, const char *listen, const char *cert,
	const char *key, struct err *e);
/* Frees the certificate and the key, whose bytes are overwritten. */
void listener_wipe(struct listener *l);
