/* upload_object.h - moves the bytes of uploads between the database and object
 * storage.
 *
 * Bytes arrive as chunks in the database (upload.h), which answers for them. Once an
 * upload is done or failed, they can be moved:
 *
 *   chunks ─begin─► chunks, name ─the object is written─► ─stored─► object ─► no chunks
 *
 * From upload_object_stored() on, the object is read instead of the chunks. A process
 * that dies on the way leaves the chunks and a name; the next one begins again with
 * another name, because a request of the dead process may still arrive. The names of
 * objects that nothing needs any more, because their move was given up, their bytes
 * expired or moved back, are kept until they are deleted, and a day longer. So no object
 * exists whose name the database does not know. */
#pragma once
#include "upload.h"

struct upload_object {
	int64_t upload; /* 0: none */
	int64_t bytes;
	int32_t chunks;
	uint8_t sha256[SHA256_BYTES];
	char object[UPLOAD_OBJECT], etag[UPLOAD_ETAG];
	bool stored; /* the object is complete: only chunks must be deleted */
};

/* Finds the next upload after `after` (an id; 0: the first) whose bytes are in the
 * database and may move, and gives it the name of an object below `place`. */
bool upload_object_begin(struct db *db, const char *place, int64_t after,
	struct upload_object *o, struct err *e);
/* The object has all bytes. *kept is false if the upload no longer needs it, because it
 * was deleted meanwhile. */
bool upload_object_stored(struct db *db, const struct upload_object *o,
	bool *kept, struct err *e);
/* Deletes the chunks of an upload whose object is stored. */
bool upload_object_drop_chunks(struct db *db, int64_t upload, struct err *e);

/* Finds the next upload after `after` whose bytes are in an object. */
bool upload_object_next(struct db *db, int64_t after, struct upload_object *o,
	struct err *e);
/* Reads the object and gives its bytes to the sink, in order and in pieces of any
 * length. It must fail if they are not those of the sha256. */
typedef bool upload_object_sink_fn(void *to, const void *bytes, size_t len,
	struct err *e);
typedef bool upload_object_read_fn(void *ctx, const struct upload_object *o,
	upload_object_sink_fn *sink, void *to, struct err *e);
/* Makes chunks of the object's bytes and gives the object up, in one transaction. */
bool upload_object_back(struct db *db, const struct upload_object *o,
	upload_object_read_fn *read, void *ctx, struct err *e);

/* Gives up all names of objects that are not complete. */
bool upload_object_abandon(struct db *db, struct err *e);

/* The next object after `after` ("": the first) that must be deleted now and whose name
 * begins with `below`; "" if there is none. */
bool upload_object_to_delete(struct db *db, const char *below,
	const char *after, char object[UPLOAD_OBJECT], struct err *e);
/* It is deleted. */
bool upload_object_deleted(struct db *db, const char *object, struct err *e);
