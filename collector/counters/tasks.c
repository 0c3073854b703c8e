/* tasks.c - reads schedstat of each thread and adds up the increases. */
#include "tasks.h"
#include "figures.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's format of a folder entry. opendir() would allocate memory. */
struct tasks_entry {
	uint64_t inode;
	int64_t next;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static void tasks_folder_open(struct tasks *t)
{
	t->folder = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	t->opened = fd_guard_of(t->folder);
}

void tasks_init(struct tasks *t, const char *proc)
{
	*t = (struct tasks){ .folder = -1 };
	int len = snprintf(t->path, sizeof t->path, "%s/self/task", proc);
	if (len > 0 && (size_t)len < sizeof t->path)
		tasks_folder_open(t);
}

void tasks_release(struct tasks *t)
{
	fd_guard_close(&t->opened, t->folder);
	t->folder = -1;
}

static bool tasks_schedstat(const struct tasks *t, int32_t tid,
	uint64_t *ran_ns, uint64_t *waited_ns)
{
	char path[32], text[96];
	snprintf(path, sizeof path, "%d/schedstat", (int)tid);
	int fd = openat(t->folder, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t got = read(fd, text, sizeof text - 1);
	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return figure(figure(text, ran_ns), waited_ns);
}

/* The thread's entry in the list, or NULL if the thread is new. `hint` is the
 * entry's index if the folder lists threads in the same order as before. */
static struct task *tasks_find(struct tasks *t, int32_t tid, int hint)
{
	if (hint < t->n && t->list[hint].tid == tid)
		return &t->list[hint];
	for (int i = 0; i < t->n; i++)
		if (t->list[i].tid == tid)
			return &t->list[i];
	return NULL;
}

/* A thread that is new since the last reading is counted from its beginning. A
 * thread that existed at the first reading is counted from that reading. */
static void tasks_take(struct tasks *t, int32_t tid, struct task *x)
{
	uint64_t ran_ns, waited_ns;
	bool created = !x;
	if (created && t->n == TASKS_MAX) {
		t->beyond++;
		return;
	}
	if (!tasks_schedstat(t, tid, &ran_ns, &waited_ns))
		return;
	if (created) {
		x = &t->list[t->n++];
		*x = (struct task){ .tid = tid };
	}
	if (ran_ns < x->ran_ns || waited_ns < x->waited_ns)
		x->ran_ns = x->waited_ns = 0; /* a new thread with this
					       * number */
	if (!created || (t->begun && !t->beyond_before)) {
		t->ran_ns += ran_ns - x->ran_ns;
		t->waited_ns += waited_ns - x->waited_ns;
	}
	x->ran_ns = ran_ns;
	x->waited_ns = waited_ns;
	x->there = true;
}

/* Removes threads that ended from the list. */
static void tasks_forget(struct tasks *t)
{
	int n = 0;
	for (int i = 0; i < t->n; i++)
		if (t->list[i].there)
			t->list[n++] = t->list[i];
	t->n = n;
}

/* Known threads are read first, because they have entries already. */
static bool tasks_walk(struct tasks *t, bool known)
{
	_Alignas(struct tasks_entry) char some[4096];
	int seen = 0;
	if (lseek(t->folder, 0, SEEK_SET) < 0)
		return false;
	for (;;) {
		long got =
			syscall(SYS_getdents64, t->folder, some, sizeof some);
		if (got <= 0)
			return got == 0 && seen > 0;
		for (long at = 0; at < got;) {
			const struct tasks_entry *e = (const void *)(some + at);
			int32_t tid = (int32_t)strtol(e->name, NULL, 10);
			at += e->bytes;
			if (tid <= 0)
				continue;
			struct task *x = tasks_find(t, tid, seen++);
			if (!!x == known)
				tasks_take(t, tid, x);
		}
	}
}

bool tasks_read(struct tasks *t)
{
	if (t->folder >= 0 && !fd_guard_holds(&t->opened, t->folder))
		tasks_folder_open(t); /* the host closed the descriptor */
	if (t->folder < 0)
		return false;
	t->beyond = 0;
	for (int i = 0; i < t->n; i++)
		t->list[i].there = false;
	bool ok = tasks_walk(t, true);
	tasks_forget(t);
	ok = ok && tasks_walk(t, false);
	t->begun = ok;
	t->beyond_before = t->beyond;
	if (t->beyond > atomic_load(&t->most_beyond))
		atomic_store(&t->most_beyond, t->beyond);
	return ok && t->n > 0;
}
