/* child.c - fork, and a loop that waits for signals, of which one is the end. */
#include "child.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
	pid_t pid;
	sigset_t all, before; /* what we wait for; what was blocked before */
	struct sigaction chld; /* how children's ends were dealt with */
};

/* Faults are our own and are not waited for. */
static void block(struct child *c)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
		SIGABRT, SIGSYS };
	struct sigaction plain = { .sa_handler = SIG_DFL };

	sigfillset(&c->all);
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		sigdelset(&c->all, faults[i]);
	sigprocmask(SIG_BLOCK, &c->all, &c->before);
	sigaction(SIGCHLD, &plain, &c->chld);
}

/* What was for the command is over with it. */
static void unblock(struct child *c)
{
	while (sigtimedwait(&c->all, NULL, &(struct timespec){ 0, 0 }) > 0)
		;
	sigaction(SIGCHLD, &c->chld, NULL);
	sigprocmask(SIG_SETMASK, &c->before, NULL);
}

__attribute__((noreturn)) static void become(const struct child *c,
	char *const argv[], int tell)
{
	sigaction(SIGCHLD, &c->chld, NULL);
	sigprocmask(SIG_SETMASK, &c->before, NULL);
	execvp(argv[0], argv);
	int why = errno;
	if (write(tell, &why, sizeof why) < 0)
		why = 0;
	_exit(why == ENOENT ? 127 : 126);
}

/* The number why it could not be run; 0: it runs. */
static int told(int fd)
{
	int why = 0;
	ssize_t n;

	do
		n = read(fd, &why, sizeof why);
	while (n < 0 && errno == EINTR);
	return n == sizeof why ? why : 0;
}

/* As a shell does with a job: it stops with its last process. */
static void stop_with(int by)
{
	if (by == SIGTSTP || by == SIGTTIN || by == SIGTTOU)
		kill(getpid(), SIGSTOP);
}

/* Whether the command ended; *status then as wait() tells it. Where we are the
 * first process of a container, orphans are our children too, and are gone only
 * when somebody waits for them. */
static bool reap(const struct child *c, int *status)
{
	pid_t pid;

	while ((pid = waitpid(-1, status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != c->pid)
			continue;
		if (!WIFSTOPPED(*status))
			return true;
		stop_with(WSTOPSIG(*status));
	}
	return false;
}

static void pass_on(const struct child *c, const siginfo_t *s)
{
	bool sent = s->si_code == SI_USER || s->si_code == SI_TKILL ||
		    s->si_code == SI_QUEUE;

	if (sent && s->si_pid != c->pid)
		kill(c->pid, s->si_signo);
}

static int watch(const struct child *c)
{
	siginfo_t s;
	int status;

	for (;;) {
		if (sigwaitinfo(&c->all, &s) < 0)
			continue;
		if (s.si_signo != SIGCHLD)
			pass_on(c, &s);
		else if (reap(c, &status))
			return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						   : WEXITSTATUS(status);
	}
}

bool child_run(char *const argv[], int *status, struct err *e)
{
	struct child c;
	int why, pipe_[2];

	*status = 126;
	if (pipe2(pipe_, O_CLOEXEC))
		return err_set(e, ERR_BUSY, "cannot make a pipe: %s",
			strerror(errno));
	block(&c);
	c.pid = fork();
	if (c.pid == 0)
		become(&c, argv, pipe_[1]);
	why = c.pid < 0 ? errno : 0;
	close(pipe_[1]);
	if (c.pid > 0 && (why = told(pipe_[0])))
		while (waitpid(c.pid, NULL, 0) < 0 && errno == EINTR)
			;
	if (!why)
		*status = watch(&c);
	else
		*status = c.pid > 0 && why == ENOENT ? 127 : 126;
	close(pipe_[0]);
	unblock(&c);
	return !why || err_set(e, ERR_INPUT, "cannot run '%.200s': %s", argv[0],
			       strerror(why));
}
