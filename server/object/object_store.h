/* object_store.h - reads and writes objects of an S3-compatible object storage.
 *
 * An object has a name "s3://BUCKET/KEY", which says everything but the address and the
 * credentials of the storage. The bucket is part of the path of a request, not of the
 * host name, so that a certificate for the endpoint is sufficient.
 *
 * What a storage answers is checked: a status, a length, a range or an ETag that is not
 * the expected one is a failure with a sentence.
 *
 *   ERR_NOT_FOUND  the object, as it was written, does not exist
 *   ERR_INPUT      the storage rejects this request, and would again
 *   ERR_FORBIDDEN  it rejects the credentials, or there are none
 *   ERR_BUSY       it cannot be reached or does not work; another try may succeed
 *
 * A request ends if less than 1 KiB/s arrive or leave for a minute, and at the latest
 * when it has taken two minutes and a second per MiB. Proxies of the environment
 * (https_proxy, no_proxy) are used, as by Amazon's tools.
 *
 * For one thread. */
#pragma once
#include "err.h"
#include "sha256.h"
#include <stddef.h>
#include <stdint.h>

enum { OBJECT_NAME = 1200, OBJECT_ETAG = 100 };

/* Where the storage is and who calls it. The texts must live as long as the store. */
struct object_settings {
	const char *endpoint; /* "": Amazon's of the region */
	const char *region;
	const char *key_id, *secret, *token; /* "": from the file */
	/* A file of credentials in the format of Amazon's tools, section [default]; it
	 * is read for each request, because programs renew it. "": none */
	const char *credentials;
};

/* Checks "s3://BUCKET" or "s3://BUCKET/PREFIX"; ERR_INPUT with a sentence. */
bool object_place_check(const char *place, struct err *e);

struct object_store;

struct object_store *object_store_new(const struct object_settings *s,
	struct err *e);
void object_store_free(struct object_store *s);

/* Called at least once per second while a request runs, also while nothing arrives; the
 * request ends with ERR_BUSY if it returns false. NULL: requests are not interrupted. */
void object_store_on_wait(struct object_store *s, bool (*go_on)(void *ctx),
	void *ctx);

/* Reads the next bytes of a body, at most `room`; *len 0: the end. */
typedef bool object_source_fn(void *ctx, void *into, size_t room, size_t *len,
	struct err *e);
/* Receives the next bytes of an object. */
typedef bool object_sink_fn(void *ctx, const void *bytes, size_t len,
	struct err *e);

/* Creates or replaces an object of `size` bytes with the digest. `etag` receives the
 * storage's ETag of it, with its quotes. */
bool object_put(struct object_store *s, const char *name, int64_t size,
	const uint8_t sha256[SHA256_BYTES], object_source_fn *source, void *ctx,
	char etag[OBJECT_ETAG], struct err *e);
/* Reads `len` bytes from `at`. `etag`: that of the object when it was written; it is a
 * failure if the storage now has another one. */
bool object_get(struct object_store *s, const char *name, const char *etag,
	int64_t at, int64_t len, object_sink_fn *sink, void *ctx,
	struct err *e);
/* Succeeds, too, if the object does not exist. */
bool object_delete(struct object_store *s, const char *name, struct err *e);
