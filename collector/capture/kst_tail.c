/* kst_tail.c - writes the tail of a capture file, with the rows that are in no
 * chunk yet. */
#include "kst_log.h"
#include "kst_memory.h"
#include <errno.h>
#include <fcntl.h>
#include <kernsift/kst_tail.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

struct kst_tail {
	struct kst_memory memory;
	uint8_t *map;
	size_t bytes, at; /* size of the file; position of the next entry */
	uint32_t sum;
	uint64_t generation;
	uint32_t seq; /* of the place it was emptied at */
	struct kst_before before, first;
	uint8_t columns[KST_KINDS_END];
};

/* Whether this file system never needs new blocks to write a page that has
 * allocated blocks. False for overlayfs, because the file system under its
 * upper layer is not visible. */
static bool kst_tail_fits(int fd)
{
	struct statfs s;
	if (fstatfs(fd, &s))
		return false;
	switch ((unsigned long)s.f_type) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case TMPFS_MAGIC:
		return true;
	default:
		errno = ENOTSUP;
		return false;
	}
}

static void *kst_tail_map_file(int fd, size_t bytes)
{
	int failed = kst_tail_fits(fd) ? posix_fallocate(fd, 0, (off_t)bytes)
				       : errno;
	if (failed) {
		errno = failed;
		return NULL;
	}
	void *map =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	madvise(map, bytes, MADV_DONTFORK);
	return map;
}

struct kst_tail *kst_tail_new(int folder, const char *name, size_t bytes,
	const struct kst_memory *memory)
{
	struct kst_memory m = memory ? *memory : (struct kst_memory){ 0 };
	if (bytes < KST_LOG || bytes > KST_TAIL_MOST) {
		errno = EINVAL;
		return NULL;
	}
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		0600);
	if (fd < 0)
		return NULL;
	struct kst_tail *t = kst_grow(&m, NULL, sizeof *t);
	int failed = ENOMEM;
	if (t) {
		memset(t, 0, sizeof *t);
		t->memory = m;
		t->map = kst_tail_map_file(fd, bytes);
		failed = errno;
	}
	close(fd);
	if (t && t->map) {
		t->bytes = bytes;
		t->at = bytes; /* full, until its start is set */
		kst_log_before(&t->first);
		for (int kind = 0; kind < KST_KINDS_END; kind++) {
			const struct kst_kind_info *k = kst_kind_info(kind);
			t->columns[kind] = (uint8_t)(k ? k->n : 0);
		}
		return t;
	}
	kst_drop(&m, t);
	unlinkat(folder, name, 0);
	errno = failed;
	return NULL;
}

void kst_tail_free(struct kst_tail *t)
{
	if (!t)
		return;
	struct kst_memory m = t->memory;
	munmap(t->map, t->bytes);
	kst_drop(&m, t);
}

/* Stores length and generation with one instruction, so that they match. */
static void kst_tail_commit(struct kst_tail *t)
{
	uint64_t word = (t->at - KST_LOG) << 32 | (uint32_t)t->generation;
	__atomic_store_n((uint64_t *)(void *)(t->map + KST_COMMIT),
		htole64(word), __ATOMIC_RELEASE);
}

void kst_tail_empty(struct kst_tail *t, const struct kst_place_in *place)
{
	uint8_t slot[KST_SLOT] = { 0 };
	if (t->at == KST_LOG && t->seq == place->seq)
		return;
	t->generation++;
	memcpy(slot, KST_TAIL_MAGIC, 8);
	kst_put64(slot + 8, t->generation);
	kst_put32(slot + 16, place->capture);
	kst_put32(slot + 20, place->seq);
	kst_put64(slot + 24, place->text);
	t->sum = kst_crc(0, slot, KST_SLOT_SUM);
	kst_put32(slot + KST_SLOT_SUM, t->sum);
	/* The previous slot is valid until this slot is complete. */
	memcpy(t->map + (t->generation & 1) * KST_SLOT, slot, sizeof slot);
	/* A process is killed between two instructions, so their order is
	 * enough. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	t->at = KST_LOG;
	t->seq = place->seq;
	t->before = t->first;
	kst_tail_commit(t);
}

/* Completes the entry that begins at the end of the log and whose bytes end at
 * `to`. Readers accept the entry only with its checksum. */
static void kst_tail_entry_end(struct kst_tail *t, uint8_t *to)
{
	uint8_t *from = t->map + t->at;
	t->sum = kst_crc(t->sum, from, (size_t)(to - from));
	kst_put32(to, t->sum);
	t->at += (size_t)(to + 4 - from);
	kst_tail_commit(t);
}

bool kst_tail_row(struct kst_tail *t, int kind, const uint64_t *cells)
{
	uint64_t *before = t->before.cells[kind];
	uint32_t n = t->columns[kind];
	uint64_t changed = 0, d[KST_LOG_COLUMNS];
	uint32_t k = 0;
	if (t->bytes - t->at < KST_ROW_ROOM)
		return false;
	for (uint32_t c = 0; c < n; c++) {
		uint64_t difference = cells[c] - before[c];
		bool other = difference != 0;
		before[c] = cells[c];
		d[k] = difference;
		k += other;
		changed |= (uint64_t)other << c;
	}
	/* Normally one byte is enough for the length. */
	uint8_t *body = t->map + t->at + 2;
	uint8_t *end = kst_varint_put(body, changed);
	for (uint32_t i = 0; i < k; i++)
		end = kst_varint_put(end, kst_zigzag((int64_t)d[i]));
	size_t len = (size_t)(end - body);
	if (len >= 0x80) {
		memmove(body + 1, body, len);
		end++;
	}
	body[-2] = (uint8_t)kind;
	kst_varint_put(body - 1, len);
	kst_tail_entry_end(t, end);
	return true;
}

bool kst_tail_text(struct kst_tail *t, const char *text, size_t len)
{
	if (len > t->bytes || t->bytes - t->at < len + 1 + 10 + 4)
		return false;
	uint8_t *to = t->map + t->at;
	*to++ = KST_text;
	to = kst_varint_put(to, len);
	memcpy(to, text, len);
	kst_tail_entry_end(t, to + len);
	return true;
}

bool kst_part_in_use(const char *path)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool locked = fcntl(fd, F_GETLK, &lock) || lock.l_type != F_UNLCK;
	close(fd);
	return locked;
}
