/* listen.h - "ADDR:PORT" becomes a listening socket. */
#pragma once
#include "err.h"

enum { LISTEN_HOST = 256 };

/* Splits "127.0.0.1:80", "[::1]:80" or "name:80". */
bool listen_split(const char *text, char host[LISTEN_HOST], int *port,
	struct err *e);
/* The non-blocking socket, and the port that it got; -1 on failure. */
int listen_on(const char *text, int *port, struct err *e);
