/* feed.c - a chain of parts, gone through as one. */
#include "feed.h"
#include "part.h"

struct feed {
	struct part *first;
};

static struct feed *chain_new(struct part *first)
{
	struct feed *f = calloc(1, sizeof *f);
	if (!f)
		abort();
	f->first = first;
	return f;
}

struct feed *feed_new_open(int fd, const char *path, enum pack_kind kind,
	struct err *e)
{
	struct part *p = part_new_open(fd, path, e);
	if (!p)
		return NULL;
	part_pack(p, kind);
	return chain_new(p);
}

struct feed *feed_new(const char *path, enum pack_kind kind, struct err *e)
{
	return feed_new_open(-1, path, kind, e);
}

/* How both are to travel; PACK_OTHER with a sentence where they cannot. */
static enum pack_kind joint_kind(const struct part *p, const struct part *q,
	enum pack_kind kind, struct err *e)
{
	enum pack_kind a = part_found(p), b = part_found(q);
	enum pack_kind both = a == PACK_NONE ? b : a;
	if (both == PACK_OTHER || (b != PACK_NONE && b != both)) {
		err_set(e, ERR_INPUT,
			"'%s' and '%s' are packed in ways that cannot be sent "
			"as one; unpack them, or pack both with gzip or zstd",
			p->label, q->label);
		return PACK_OTHER;
	}
	return both == PACK_NONE ? kind : both;
}

struct feed *feed_joined(const char *path, const char *behind,
	enum pack_kind kind, struct err *e)
{
	struct part *p = part_new(path, e);
	struct part *q = p ? part_new(behind, e) : NULL;
	if (q)
		kind = joint_kind(p, q, kind, e);
	if (!q || kind == PACK_OTHER) {
		part_free(p);
		part_free(q);
		return NULL;
	}
	p->behind = part_newline();
	p->behind->behind = q;
	for (struct part *each = p; each; each = each->behind)
		part_pack(each, kind);
	return chain_new(p);
}

void feed_free(struct feed *f)
{
	if (!f)
		return;
	for (struct part *p = f->first; p;) {
		struct part *behind = p->behind;
		part_free(p);
		p = behind;
	}
	free(f);
}

const char *feed_label(const struct feed *f)
{
	return f->first->label;
}

const char *feed_base_name(const struct feed *f)
{
	const char *path = f->first->path, *slash = strrchr(path, '/');
	if (!strcmp(path, "-"))
		return NULL;
	return slash ? slash + 1 : path;
}

enum pack_kind feed_found(const struct feed *f)
{
	return part_found(f->first);
}

bool feed_next(struct feed *f, void *out, size_t room, size_t *len,
	struct err *e)
{
	*len = 0;
	for (struct part *p = f->first; p && !*len; p = p->behind)
		if (!part_next(p, out, room, len, e))
			return false;
	return true;
}

bool feed_restart(struct feed *f, struct err *e)
{
	for (struct part *p = f->first; p; p = p->behind)
		if (!part_restart(p, e))
			return false;
	return true;
}

int64_t feed_taken(const struct feed *f)
{
	int64_t taken = 0;
	for (const struct part *p = f->first; p; p = p->behind)
		taken += p->taken;
	return taken;
}

int64_t feed_total(const struct feed *f)
{
	int64_t total = 0;
	for (const struct part *p = f->first; p; p = p->behind) {
		if (p->total < 0)
			return -1;
		total += p->total;
	}
	return total;
}

int64_t feed_length(const struct feed *f)
{
	for (const struct part *p = f->first; p; p = p->behind)
		if (p->pack)
			return -1;
	return feed_total(f);
}

int64_t feed_given(const struct feed *f)
{
	int64_t given = 0;
	for (const struct part *p = f->first; p; p = p->behind)
		given += p->given;
	return given;
}
