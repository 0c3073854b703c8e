/* address.h - builds the URLs of requests and of the pages that messages
 * mention.
 *
 * Names of projects, labels and files may contain any bytes. All bytes except
 * letters, digits and "-._~" are percent-encoded. */
#pragma once
#include "buf.h"
#include "err.h"
#include "options.h"
#include <stdint.h>

enum { ADDRESS_MAX = 64 * 1024 };

/* Whether the host is this machine. A request to this machine must not use a
 * proxy, because a proxy cannot reach it. */
bool address_is_local(const char *server);

/* The following functions append a URL to a buffer that buf_init() initialized
 * with the ceiling ADDRESS_MAX. */

/* Appends a path on the server without encoding it. */
void address_path(struct buf *b, const char *server, const char *path);
/* POST /uploads with all parameters from the options. `file` is the base name
 * of the file, or NULL. */
void address_send(struct buf *b, const struct options *o, const char *file);
/* GET /runs/{run}/diagnosis in the format of the options */
void address_diagnosis(struct buf *b, const struct options *o, int64_t run);
/* GET /compare with all parameters from the options. `format` is one of the
 * API's formats. */
void address_compare(struct buf *b, const struct options *o,
	const char *format);
/* The page of a comparison with the settings in the options. A side that is a query is
 * replaced by the ids of the runs that it selected, so that the page shows the same
 * later. */
void address_compare_page(struct buf *b, const struct options *o,
	const char *base_ids, const char *head_ids);
/* GET /importance/fusions of the project, workload and labels in the
 * options. */
void address_fusions(struct buf *b, const struct options *o,
	const char *format);
/* GET /devices of the runs and GPUs that the options select; of JSON all GPUs. */
void address_devices(struct buf *b, const struct options *o,
	const char *format);
/* GET /runs of the runs that the options select: at most `limit` after the page that has
 * the cursor `after` ("": the first page). */
void address_runs(struct buf *b, const struct options *o, int limit,
	const char *after);
/* A path that ends in "=", and the name that follows it, such as that of a
 * reference set. */
void address_named(struct buf *b, const char *server, const char *path,
	const char *name);
/* POST /runs/{run}/{what}: kernel-profiles or measures. `file` is the base name of
 * the file, or NULL. */
void address_attach(struct buf *b, const char *server, int64_t run,
	const char *what, const char *file);
/* GET /uploads/{id} */
void address_upload(struct buf *b, const char *server, int64_t id);
/* The page of a run. */
void address_run(struct buf *b, const char *server, int64_t id);
