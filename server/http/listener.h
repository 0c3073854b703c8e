/* listener.h - opens the listening socket of "ADDR:PORT", with the certificate
 * and the key for https.
 *
 * Only this module uses GnuTLS. Both files are PEM; the certificate file also
 * contains the certificates up to the root. These errors are reported when the
 * server starts: a key that other users may read, a key that does not match the
 * certificate, a file that is neither a certificate nor a key. A new
 * certificate is used after the next start. */
#pragma once
#include "err.h"

enum { LISTENER_HOST = 256 };

struct listener {
	char *cert, *key; /* PEM; NULL: no TLS */
	int fd, port; /* the non-blocking socket, and its actual port */
};

/* TLS 1.2 and 1.3, as a priority string of GnuTLS. */
#define LISTENER_TLS_VERSIONS "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* Splits "127.0.0.1:80", "[::1]:80" or "name:80". */
bool listener_split(const char *text, char host[LISTENER_HOST], int *port,
	struct err *e);
/* Reads both files if they are named (not "" or NULL), then binds the socket.
 * The caller owns the socket. After a failure fd is -1 and nothing needs to be
 * released. */
bool listener_open(struct listener *l, const char *listen, const char *cert,
	const char *key, struct err *e);
/* Frees the certificate and the key, and overwrites their bytes. */
void listener_wipe(struct listener *l);
