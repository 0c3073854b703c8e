/* copier.c - a child, a pipe, and the signals that end the wait for it. */
#include "copier.h"
#include "spawn.h"
#include "utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static bool no_pipe(const struct copier *c, struct err *e)
{
	return err_set(e, ERR_INTERNAL, "%s cannot be run: %s", c->name,
		strerror(errno));
}

static void hold_signals(struct copier *c)
{
	sigset_t ours;
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	sigprocmask(SIG_BLOCK, &ours, &c->were);
	c->signals = signalfd(-1, &ours, SFD_CLOEXEC);
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

bool copier_new(struct copier *c, const char *const argv[],
	const char *const env[], bool writes, struct err *e)
{
	const char *slash = strrchr(argv[0], '/');
	int ends[2], null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	*c = (struct copier){ .name = slash ? slash + 1 : argv[0], .end = -1 };
	hold_signals(c);
	c->said = memfd_create("said", MFD_CLOEXEC);
	bool ok = null >= 0 && c->said >= 0 && c->signals >= 0 &&
		  pipe2(ends, O_CLOEXEC) == 0;
	if (!ok) {
		no_pipe(c, e);
	} else {
		int theirs = ends[writes];
		struct spawn_with w = { env, writes ? -1 : theirs, c->said };
		c->end = ends[!writes];
		c->pid = spawn_with(NULL, "/", argv, writes ? theirs : null,
			SIGTERM, &w, e);
		close(theirs);
		ok = c->pid > 0 &&
		     (fcntl(c->end, F_SETFL, O_NONBLOCK) == 0 || no_pipe(c, e));
	}
	shut(&null);
	if (!ok) {
		struct err ignored = { 0 };
		copier_end(c, true, &ignored);
	}
	return ok;
}

/* Until the pipe is ready; a signal that is waiting comes first. */
static bool ready(struct copier *c, short events, struct err *e)
{
	struct pollfd p[] = { { c->signals, POLLIN, 0 },
		{ c->end, events, 0 } };
	struct signalfd_siginfo info;
	while (poll(p, 2, -1) < 0)
		if (errno != EINTR)
			return no_pipe(c, e);
	if (p[0].revents && read(c->signals, &info, sizeof info) > 0)
		return err_set(e, ERR_CONFLICT, "stopped by SIG%s",
			sigabbrev_np((int)info.ssi_signo));
	return true;
}

bool copier_read(struct copier *c, void *into, size_t room, size_t *len,
	struct err *e)
{
	for (;;) {
		if (!ready(c, POLLIN, e))
			return false;
		ssize_t n = read(c->end, into, room);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return no_pipe(c, e);
		*len = (size_t)n;
		return true;
	}
}

bool copier_write(struct copier *c, const void *bytes, size_t len,
	struct err *e)
{
	const char *at = bytes;
	while (len && !c->deaf) {
		if (!ready(c, POLLOUT, e))
			return false;
		ssize_t n = write(c->end, at, len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		c->deaf = n < 0 && errno == EPIPE;
		if (c->deaf)
			return true;
		if (n < 0)
			return no_pipe(c, e);
		at += n;
		len -= (size_t)n;
	}
	return true;
}

/* The first line that tells of an error; else the first. */
static void reason(const struct copier *c, char *line, size_t size)
{
	char text[2000];
	ssize_t n = pread(c->said, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	const char *at = strstr(text, "error: ");
	at = at ? at + strlen("error: ") : text;
	size_t len = strcspn(at, "\n");
	if (!len)
		snprintf(line, size, "it gave no reason");
	else
		snprintf(line, size, "%.*s", (int)len, at);
	line[utf8_trim(line, strlen(line))] = '\0';
}

bool copier_end(struct copier *c, bool give_up, struct err *e)
{
	char why[300];
	int status = 0;
	shut(&c->end);
	if (c->pid > 0 && give_up)
		kill(c->pid, SIGTERM);
	while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status) {
		reason(c, why, sizeof why);
		err_set(e,
			strstr(why, "No space left") ? ERR_DISK_FULL
						     : ERR_INTERNAL,
			"%s failed: %s", c->name, why);
	}
	shut(&c->said);
	shut(&c->signals);
	sigprocmask(SIG_SETMASK, &c->were, NULL);
	return !status;
}
