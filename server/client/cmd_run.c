/* cmd_run.c - `kernsift run`: runs a command with the collector, then sends its
 * captures. */
#include "address.h"
#include "commands.h"
#include "err.h"
#include "log_once.h"
#include "meter.h"
#include "options.h"
#include "submit.h"
#include "wire.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command runs as a child process with our terminal, process group,
 * standard streams and limits. The parent waits for signals; the end of the
 * child is one of them. */

struct child {
	pid_t pid;
	/* signals to wait for; signals that were blocked before */
	sigset_t all, before;
	struct sigaction chld; /* the previous action */
};

/* Blocks all signals, to wait for them, except those of faults of this program
 * itself. */
static void run_child_block(struct child *c)
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

/* Discards signals that were meant for the command, and restores the signal
 * mask. */
static void run_child_unblock(struct child *c)
{
	while (sigtimedwait(&c->all, NULL, &(struct timespec){ 0, 0 }) > 0)
		;
	sigaction(SIGCHLD, &c->chld, NULL);
	sigprocmask(SIG_SETMASK, &c->before, NULL);
}

__attribute__((noreturn)) static void child_become(const struct child *c,
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

/* The errno of a failed start; 0: the command runs. */
static int run_child_errno(int fd)
{
	int why = 0;
	ssize_t n;

	do
		n = read(fd, &why, sizeof why);
	while (n < 0 && errno == EINTR);
	return n == sizeof why ? why : 0;
}

/* Stops this program when the command is stopped, because a shell expects the
 * last process of a job to stop. */
static void run_child_stop_with(int by)
{
	if (by == SIGTSTP || by == SIGTTIN || by == SIGTTOU)
		kill(getpid(), SIGSTOP);
}

/* Whether the command has ended; *status is then the status from wait(). If
 * this is the first process of a container, orphaned processes become its
 * children too, and remain as zombies until it waits for them. */
static bool run_child_reap(const struct child *c, int *status)
{
	pid_t pid;

	while ((pid = waitpid(-1, status, WNOHANG | WUNTRACED)) > 0) {
		if (pid != c->pid)
			continue;
		if (!WIFSTOPPED(*status))
			return true;
		run_child_stop_with(WSTOPSIG(*status));
	}
	return false;
}

static void run_child_pass_on(const struct child *c, const siginfo_t *s)
{
	bool sent = s->si_code == SI_USER || s->si_code == SI_TKILL ||
		    s->si_code == SI_QUEUE;

	if (sent && s->si_pid != c->pid)
		kill(c->pid, s->si_signo);
}

static int run_child_watch(const struct child *c)
{
	siginfo_t s;
	int status;

	for (;;) {
		if (sigwaitinfo(&c->all, &s) < 0)
			continue;
		if (s.si_signo != SIGCHLD)
			run_child_pass_on(c, &s);
		else if (run_child_reap(c, &status))
			return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						   : WEXITSTATUS(status);
	}
}

/* Runs argv, which ends in NULL, and waits until it ends. *status is its exit
 * status, or 128 + n if signal n ended it. Returns false with a message if the
 * command could not be run; *status is then 127 if there is no such program,
 * otherwise 126. */
static bool run_child_run(char *const argv[], int *status, struct err *e)
{
	struct child c;
	int why, pipe_[2];

	*status = 126;
	if (pipe2(pipe_, O_CLOEXEC))
		return err_set(e, ERR_BUSY, "cannot make a pipe: %s",
			strerror(errno));
	run_child_block(&c);
	c.pid = fork();
	if (c.pid == 0)
		child_become(&c, argv, pipe_[1]);
	why = c.pid < 0 ? errno : 0;
	close(pipe_[1]);
	if (c.pid > 0 && (why = run_child_errno(pipe_[0])))
		while (waitpid(c.pid, NULL, 0) < 0 && errno == EINTR)
			;
	if (!why)
		*status = run_child_watch(&c);
	else
		*status = c.pid > 0 && why == ENOENT ? 127 : 126;
	close(pipe_[0]);
	run_child_unblock(&c);
	return !why || err_set(e, ERR_INPUT, "cannot run '%.200s': %s", argv[0],
			       strerror(why));
}

/* When a process first uses CUDA, the driver loads the library that
 * CUDA_INJECTION64_PATH names. NVTX loads the library that
 * NVTX_INJECTION64_PATH names. Each variable can name only one library. So if
 * another tool has set a variable, it is not changed. */

enum { INJECTION_PATH = 4096 };

#define LIBRARY "libkernsift_cupti.so"
_Static_assert(INJECTION_PATH >= PATH_MAX, "realpath() needs as much");

/* Whether FOLDER/BETWEEN/LIBRARY exists; `to` is then its full path. */
static bool run_injection_is_there(const char *folder, const char *between,
	char to[static INJECTION_PATH])
{
	char path[INJECTION_PATH];
	int n = snprintf(path, sizeof path, "%s/%s" LIBRARY, folder, between);

	return n > 0 && n < (int)sizeof path && !access(path, R_OK) &&
	       realpath(path, to);
}

/* The folder of this program. */
static bool run_injection_own_folder(char to[static INJECTION_PATH])
{
	ssize_t n = readlink("/proc/self/exe", to, INJECTION_PATH - 1);
	char *slash;

	if (n <= 0)
		return false;
	to[n] = '\0';
	slash = strrchr(to, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

/* Finds the full path of the library: `named` unless it is "", otherwise the
 * first file that exists next to this program, in ../lib, or in the
 * installation folder. Returns false with a message. */
static bool run_injection_find(const char *named,
	char to[static INJECTION_PATH], struct err *e)
{
	char own[INJECTION_PATH];

	if (*named && (access(named, R_OK) || !realpath(named, to)))
		return err_set(e, ERR_INPUT, "cannot use the library '%s': %s",
			named, strerror(errno));
	if (*named)
		return true;
	if (run_injection_own_folder(own) &&
		(run_injection_is_there(own, "", to) ||
			run_injection_is_there(own, "../lib/", to)))
		return true;
	return run_injection_is_there(KERNSIFT_LIBDIR, "", to) ||
	       err_set(e, ERR_INPUT,
		       LIBRARY
		       " is not in the folder of this program, in ../lib or "
		       "in '%s' (use --library)",
		       KERNSIFT_LIBDIR);
}

static void run_injection_set_path(const char *variable, const char *library,
	const char *what, struct meter *m)
{
	const char *is = getenv(variable);

	if (is && *is && strcmp(is, library) != 0)
		meter_say(m,
			"kernsift: %s is already set to '%s' and is not "
			"changed; no %s are recorded unless that library loads "
			"the collector. To load both, unset the variable and "
			"give that library to --chain",
			variable, is, what);
	else
		setenv(variable, library, 1);
}

/* Sets the environment of the command, including `trace`. Variables that
 * another tool has set are not changed; a message reports this. */
static void run_injection_set(const char *library, const char *folder,
	const struct text_list *trace, struct meter *m)
{
	run_injection_set_path("CUDA_INJECTION64_PATH", library, "kernels", m);
	run_injection_set_path("NVTX_INJECTION64_PATH", library, "NVTX ranges",
		m);
	for (int i = 0; i < trace->n; i++) {
		char *name = strdup(trace->at[i]);
		char *equals = name ? strchr(name, '=') : NULL;
		if (!equals)
			abort();
		*equals = '\0';
		setenv(name, equals + 1, 1);
		free(name);
	}
	setenv("KERNSIFT_TRACE_DIR", folder, 1);
}

enum { RUN_FOLDER = 4000 };

#define LOG "collector.log"
#define EACH "/run-XXXXXX"
#define LOCK ".kernsift.lock"

/* Creates a folder and its parent folders if they do not exist. */
static bool run_folder_make_all(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		int failed = mkdir(path, 0700) && errno != EEXIST;
		*at = '/';
		if (failed)
			return false;
	}
	return !mkdir(path, 0700) || errno == EEXIST;
}

/* Whether only this user may enter the folder. In /tmp every user can create
 * folders and links, so the answer there may be no. */
static bool run_folder_is_own(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool own = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() &&
		   (st.st_mode & 07777) == 0700;

	if (fd >= 0)
		close(fd);
	return own;
}

/* The folder to use if the user has no home: a folder of this user in /tmp. If
 * another user owns that name, the folder of the command is directly in /tmp.
 */
static const char *run_folder_below_tmp(char to[static RUN_FOLDER])
{
	snprintf(to, RUN_FOLDER, "/tmp/kernsift-%ld", (long)geteuid());
	if ((!mkdir(to, 0700) || errno == EEXIST) && run_folder_is_own(to))
		return EACH;
	snprintf(to, RUN_FOLDER, "/tmp");
	return "/kernsift-run-XXXXXX";
}

/* The folder of the command if the user names none. */
static const char *run_folder_usual(char to[static RUN_FOLDER])
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && *state == '/')
		snprintf(to, RUN_FOLDER, "%s/kernsift/run", state);
	else if (home && *home == '/')
		snprintf(to, RUN_FOLDER, "%s/.local/state/kernsift/run", home);
	else
		return run_folder_below_tmp(to);
	return EACH;
}

/* Creates a folder for one command below `where`. If `where` is NULL, the
 * folder is below kernsift/run in $XDG_STATE_HOME or ~/.local/state; if the
 * user has no home, it is in /tmp. `to` is its full path. Returns false with a
 * message. */
static bool run_folder_new(const char *where, char to[static RUN_FOLDER],
	struct err *e)
{
	const char *own = EACH;
	char below[RUN_FOLDER], whole[PATH_MAX];
	int n;

	if (where)
		snprintf(below, sizeof below, "%s", where);
	else
		own = run_folder_usual(below);
	if (!*below || !run_folder_make_all(below) || !realpath(below, whole))
		return err_set(e, ERR_INPUT,
			"cannot make the folder '%.300s': %s", below,
			strerror(errno));
	n = snprintf(to, RUN_FOLDER, "%s%s", whole, own);
	if (n < 0 || n >= RUN_FOLDER || !mkdtemp(to))
		return err_set(e, ERR_INPUT,
			"cannot make a folder in '%.300s': %s", whole,
			n < RUN_FOLDER ? strerror(errno)
				       : "its name is too long");
	return true;
}

static void run_folder_remove_file(const char *folder, const char *name)
{
	char path[RUN_FOLDER + 32];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	unlink(path);
}

/* Removes the folder and the files that a collector leaves next to captures,
 * unless the folder contains anything else. */
static bool run_folder_remove(const char *path)
{
	run_folder_remove_file(path, LOG);
	run_folder_remove_file(path, LOCK);
	return !rmdir(path);
}

/* Calls say() with each line of the collector's log about options, then with
 * the last line of the log. Returns whether there is a log. */
static bool run_folder_log(const char *path, bool last,
	void (*say)(void *ctx, const char *line), void *ctx)
{
	char name[RUN_FOLDER + 32], line[1024], kept[1024] = "";
	FILE *f;

	snprintf(name, sizeof name, "%s/" LOG, path);
	f = fopen(name, "re");
	if (!f)
		return false;
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strstr(line, "KERNSIFT_TRACE_"))
			say(ctx, line);
		else
			memcpy(kept, line, sizeof kept);
	}
	if (last && *kept)
		say(ctx, kept);
	fclose(f);
	return true;
}

enum { SETTLE_MS = 5000, STEP_MS = 50, HOST_SHOWN = 100 };

struct sender {
	const struct options *options;
	struct options o; /* a copy of *options, with the name of the job */
	struct wire *w;
	struct spool spool;
	struct meter *m;
	const char *folder;
	struct log_once reported;
	char job[160];
	struct spool_repaired repaired;
	uint32_t sent, stay, kept; /* kept: captures without a record */
};

static void run_say_line(void *ctx, const char *line)
{
	struct sender *s = ctx;

	meter_say(s->m, "kernsift: collector: %s", line);
}

static void run_say(void *ctx, const char *sentence)
{
	struct sender *s = ctx;

	meter_say(s->m, "kernsift: %s", sentence);
}

/* Prints each message once, because a file that cannot be repaired is found
 * again in every check. */
static void run_say_once(void *ctx, const char *sentence)
{
	struct sender *s = ctx;

	if (log_once_new(&s->reported, sentence))
		run_say(s, sentence);
}

/* Repairs the captures. The command has ended, but processes that it started
 * may still be writing. */
static void run_settle(struct sender *s)
{
	int64_t until_ms = meter_now_ms() + SETTLE_MS;

	for (;;) {
		s->repaired = spool_repair(&s->spool, 0, run_say_once, s);
		if (!s->repaired.growing || meter_now_ms() >= until_ms)
			return;
		nanosleep(&(struct timespec){ 0, STEP_MS * 1000000L }, NULL);
	}
}

/* Names the job. The ranks of one command are one job, which needs a name if
 * the user gave none. The host in the job's name is the host in the captures'
 * names, which may have none. */
static void run_job_name(struct sender *s, const struct spool_list *l)
{
	int first = -1;
	const struct spool_entry *of = NULL;
	bool several = false;

	for (uint32_t i = 0; !*s->options->job && !several && i < l->n; i++) {
		int rank = l->at[i].is.kind == SPOOL_WHOLE
				   ? submit_facts(&s->spool, l->at[i].name).rank
				   : -1;
		several = first >= 0 && rank >= 0 && rank != first;
		of = first < 0 && rank >= 0 ? &l->at[i] : of;
		first = first < 0 ? rank : first;
	}
	if (!several)
		return;
	time_t now = time(NULL);
	struct tm utc;
	char when[32] = "";
	if (gmtime_r(&now, &utc))
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
	int host = of->is.host_len < HOST_SHOWN ? (int)of->is.host_len
						: HOST_SHOWN;
	snprintf(s->job, sizeof s->job, "%.*s %s %ld", host, of->name, when,
		(long)getpid());
	s->o.job = s->job;
}

static void run_print_runs(struct sender *s, const struct upload_answer *u)
{
	for (int i = 0; i < u->runs_n; i++) {
		struct buf url;
		buf_init(&url, ADDRESS_MAX);
		address_run(&url, s->o.server, u->runs[i]);
		meter_say(s->m, "kernsift: run %" PRId64 " %s", u->runs[i],
			url.at);
		buf_release(&url);
	}
}

static void run_await(struct sender *s, const char *name,
	struct upload_answer *u)
{
	struct err e = { 0 };

	if (submit_wait(s->w, &s->o, name, s->m, u, &e))
		run_print_runs(s, u);
	else
		meter_say(s->m, "kernsift: %s", e.text);
}

/* Sends the captures. If the server could not be reached in all tries for one,
 * each of the others gets one try. */
static void run_send_all(struct sender *s, const struct spool_list *l)
{
	struct upload_answer *u = calloc(1, sizeof *u);
	int most = s->o.retries;

	if (!u)
		abort();
	for (uint32_t i = 0; i < l->n; i++) {
		const char *name = l->at[i].name;
		struct attempt last;
		struct err e = { 0 };
		char sentence[400];
		if (l->at[i].is.kind != SPOOL_WHOLE)
			continue;
		if (s->w && submit_skip_empty(&s->spool, name, s->o.keep,
				    sentence)) {
			run_say(s, sentence);
			s->kept += s->o.keep;
			continue;
		}
		if (!s->w || !submit_capture(s->w, &s->o, &s->spool, name, most,
				     s->m, u, &last, &e)) {
			s->stay++;
			if (s->w)
				meter_say(s->m, "kernsift: %s", e.text);
			if (s->w && last.end == ATTEMPT_AWAY)
				most = 0;
			continue;
		}
		s->sent++;
		if (!s->o.keep && !spool_remove(&s->spool, name, &e))
			meter_say(s->m, "kernsift: %s", e.text);
		if (s->o.wait)
			run_await(s, name, u);
	}
	free(u);
}

/* Whether the log contains anything that the user should read. */
static bool run_report_none(struct sender *s)
{
	if (!run_folder_log(s->folder, true, run_say_line, s)) {
		meter_say(s->m,
			"kernsift: nothing was recorded: no process of the "
			"command used CUDA, or its driver loads no injection "
			"library");
		return false;
	}
	meter_say(s->m,
		"kernsift: nothing was recorded; see '%s/collector.log'",
		s->folder);
	return true;
}

static void run_report_rest(struct sender *s)
{
	uint32_t growing = s->repaired.growing;

	if (growing)
		meter_say(s->m,
			"kernsift: processes of the command still run and "
			"record; growing capture files: %u",
			growing);
	if (s->stay || growing || s->repaired.stuck)
		meter_say(s->m,
			"kernsift: captures in '%s' were not sent; send them "
			"with 'kernsift agent --once' and that folder",
			s->folder);
	else if (s->o.keep)
		meter_say(s->m, "kernsift: the captures are kept in '%s'",
			s->folder);
}

/* Reports the result; returns false if the folder is no longer needed. */
static bool run_report(struct sender *s)
{
	bool left = s->stay || s->repaired.growing || s->repaired.stuck;

	if (!s->sent && !s->kept && !left)
		return run_report_none(s);
	run_folder_log(s->folder, false, run_say_line, s);
	run_report_rest(s);
	return left || s->o.keep;
}

/* Sends all captures and reports the result. Captures of several ranks become
 * one job. If `w` is NULL, only reports where the captures are. The folder is
 * removed after its last capture was sent. */
static void run_send(const struct options *o, struct wire *w,
	const char *folder, struct meter *m)
{
	struct sender s = { .options = o,
		.o = *o,
		.w = w,
		.m = m,
		.folder = folder };
	struct spool_list l;
	struct err e = { 0 };
	bool keep = true;

	if (!spool_open(&s.spool, folder, &e)) {
		meter_say(m, "kernsift: %s", e.text);
		return;
	}
	run_settle(&s);
	if (spool_list(&s.spool, &l, &e)) {
		run_job_name(&s, &l);
		run_send_all(&s, &l);
		keep = run_report(&s);
		spool_list_release(&l);
	} else {
		meter_say(m, "kernsift: %s", e.text);
	}
	spool_release(&s.spool);
	if (!keep)
		run_folder_remove(folder);
}

struct run {
	const struct options *o;
	struct meter meter;
	struct wire *wire; /* NULL: nothing is sent */
	char library[INJECTION_PATH], folder[RUN_FOLDER];
};

/* Checks all options before the command runs. */
static bool run_prepare(struct run *r, struct err *e)
{
	const struct options *o = r->o;
	const char *where = options_trace_value(o, "KERNSIFT_TRACE_DIR");

	if (!where)
		where = getenv("KERNSIFT_TRACE_DIR");
	if (!run_injection_find(o->library, r->library, e))
		return false;
	if (!o->no_upload && !(r->wire = wire_new(o, e)))
		return false;
	return run_folder_new(where && *where ? where : NULL, r->folder, e);
}

int cmd_run(const struct options *o)
{
	struct run r = { .o = o };
	struct err e = { 0 };
	int status = EXIT_RUN;

	meter_init(&r.meter);
	if (!run_prepare(&r, &e)) {
		meter_say(&r.meter, "kernsift: %s", e.text);
		wire_free(r.wire);
		return status;
	}
	run_injection_set(r.library, r.folder, &o->trace, &r.meter);
	/* options_init() has put NULL after the last operand; execvp() changes
	 * nothing. */
	if (run_child_run((char *const *)(uintptr_t)o->files.at, &status, &e)) {
		signal(SIGPIPE, SIG_IGN);
		run_send(o, r.wire, r.folder, &r.meter);
	} else {
		meter_say(&r.meter, "kernsift: %s", e.text);
		run_folder_remove(r.folder);
	}
	wire_free(r.wire);
	return status;
}
