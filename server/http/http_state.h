/* http_state.h - what all requests of one server share: constant after the
 * start, atomic, or with a lock of its own. */
#pragma once
#include "files.h"
#include "httpd.h"
#include "watch.h"
#include "writers.h"
#include <microhttpd.h>
#include <stdatomic.h>

struct httpd {
	struct api *api;
	struct MHD_Daemon *daemon;
	struct files *files;
	struct writers *writers;
	struct watch *watch;
	int listen_fd, port;
	bool deaf; /* no longer listening; the starter's */
	atomic_int active; /* requests under way */
	atomic_bool draining; /* keep-alive connections are told to close */
};
