/* httpd.h - converts the several callbacks of libmicrohttpd to one API call.
 *
 * A thread pool transfers bytes. When an upload has to wait, a writer thread
 * waits and the connection is suspended. The limits on requests are checked
 * here: header and body size, idle time, a minimum upload rate, and the number
 * of connections. Each request writes one log line. */
#pragma once
#include "api.h"

struct httpd_options {
	const char *listen; /* ADDR:PORT; port 0 selects a free port */
	const char *tls_cert, *tls_key; /* files; NULL or "": plain HTTP */
	/* folder of the web page; NULL: the page that is built into the
	 * program */
	const char *web;
	const char *perfetto_dir; /* a copy of the Perfetto UI; NULL: none */
	int threads, writers, connections;
	int idle_s; /* a connection without any byte for this time is closed */
	int64_t upload_min_rate; /* bytes per second, checked after 10 s */
};

struct httpd;
struct httpd *httpd_new(struct api *a, const struct httpd_options *o,
	struct err *e);
int httpd_port(const struct httpd *h);
/* From now on every answer ends its connection, so that a proxy keeps none. */
void httpd_leave(struct httpd *h);
/* Stops accepting requests; waits at most drain_s for requests in progress. */
void httpd_drain(struct httpd *h, int drain_s);
void httpd_free(struct httpd *h);
