/* host_life.c - the words that make the host program wait, fork or exit. */
#include "guest_host.h"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void nap(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t))
		;
}

/* The words between commas. */
static void each_word(struct host *h, const char *words)
{
	char *copy = strdup(words), *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		host_do(h, word);
	free(copy);
}

static void wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) != child)
		;
	printf("child: %d\n", status);
	fflush(stdout);
}

void do_fork(struct host *h, const char *argument)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		each_word(h, argument);
		exit(0);
	}
	wait_for(child);
}

void do_exec(struct host *h, const char *argument)
{
	char *words[128] = { "guest_host" };

	(void)argument;
	for (int i = 0; i < 126 && h->rest[i]; i++)
		words[i + 1] = h->rest[i];
	fflush(stdout);
	execv("/proc/self/exe", words);
	host_fail("guest_host: no exec");
}

void do_spawn(struct host *h, const char *argument)
{
	char *copy = strdup(argument), *rest = copy;
	char *words[128] = { "guest_host" };
	pid_t child;

	(void)h;
	for (int i = 1; i < 127 && (words[i] = strsep(&rest, ",")); i++)
		;
	fflush(stdout);
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, words, environ))
		host_fail("guest_host: no spawn");
	wait_for(child);
	free(copy);
}

void do_daemon(struct host *h, const char *argument)
{
	(void)h;
	(void)argument;
	fflush(stdout);
	if (fork())
		_exit(0);
	setsid();
	if (fork())
		_exit(0);
}

void do_exit(struct host *h, const char *argument)
{
	(void)h;
	exit(atoi(argument));
}

void do_quick_exit(struct host *h, const char *argument)
{
	(void)h;
	fflush(stdout);
	_exit(atoi(argument));
}

void do_abort(struct host *h, const char *argument)
{
	(void)h;
	(void)argument;
	fflush(stdout);
	abort();
}

void do_raise(struct host *h, const char *argument)
{
	(void)h;
	fflush(stdout);
	raise(atoi(argument));
}

void do_sleep(struct host *h, const char *argument)
{
	(void)h;
	nap(atol(argument));
}

void do_wait(struct host *h, const char *argument)
{
	(void)h;
	for (int i = 0; i < 12000; i++) {
		if (access(argument, F_OK) == 0)
			return;
		nap(5);
	}
	host_fail("guest_host: '%s' did not come", argument);
}

void do_touch(struct host *h, const char *argument)
{
	(void)h;
	fflush(stdout);
	int fd = open(argument, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
	if (fd < 0)
		host_fail("guest_host: '%s' cannot be made", argument);
	close(fd);
}

void do_say(struct host *h, const char *argument)
{
	(void)h;
	puts(argument);
	fflush(stdout);
}

/* Adds " MASK", the signals that the thread blocks. */
static void blocked(const char *thread, char to[static 300])
{
	char path[300], line[300], mask[20] = "?";

	snprintf(path, sizeof(path), "/proc/%.20s/status", thread);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "SigBlk: %19s", mask) == 1)
			break;
	if (f)
		fclose(f);
	snprintf(to + strlen(to), 300 - strlen(to), " %s", mask);
}

/* One line per entry of the folder: the target of the link, or its comm. */
static void list(FILE *to, const char *what, const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[300], text[300] = "";
		if (e->d_name[0] == '.')
			continue;
		if (what[0] == 'f') {
			if (atoi(e->d_name) == dirfd(d) ||
				atoi(e->d_name) == fileno(to))
				continue;
			snprintf(path, sizeof(path), "%s/%.20s", folder,
				e->d_name);
			if (readlink(path, text, sizeof(text) - 1) < 0)
				continue;
		} else {
			/* Not below /proc/self/task: if that has entries
			 * when the process ends, its parent spends up to a
			 * time slice on their removal. */
			snprintf(path, sizeof(path), "/proc/%.20s/comm",
				e->d_name);
			FILE *f = fopen(path, "re");
			if (!f || !fgets(text, sizeof(text), f))
				text[0] = 0;
			if (f)
				fclose(f);
			text[strcspn(text, "\n")] = 0;
			blocked(e->d_name, text);
		}
		fprintf(to, "%s %s %s\n", what, e->d_name, text);
	}
	if (d)
		closedir(d);
}

void do_state(struct host *h, const char *argument)
{
	(void)h;
	FILE *f = fopen(argument, "we");
	if (!f)
		host_fail("guest_host: '%s' cannot be made", argument);
	list(f, "file", "/proc/self/fd");
	list(f, "thread", "/proc/self/task");
	struct rusage used;
	getrusage(RUSAGE_SELF, &used);
	fprintf(f, "peak %ld KiB\n", used.ru_maxrss);
	fclose(f);
}

/* A function of the fake libcupti: NULL if it is not loaded. */
static void *of_cupti(const char *name, bool load)
{
	static const char *const names[] = { "libcupti.so.13", "libcupti.so.12",
		"libcupti.so.11.8" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		void *l = dlopen(names[i], RTLD_NOW | (load ? 0 : RTLD_NOLOAD));
		if (l)
			return dlsym(l, name);
	}
	return NULL;
}

void do_hold(struct host *h, const char *argument)
{
	fake_cupti_hold_fn *f;

	(void)h;
	*(void **)&f = of_cupti("fake_cupti_hold", true);
	if (!f)
		host_fail("guest_host: no libcupti");
	f(*argument != '0');
}

void do_steal(struct host *h, const char *argument)
{
	fake_cupti_steal_fn *f;

	(void)h;
	*(void **)&f = of_cupti("fake_cupti_steal", true);
	if (!f)
		host_fail("guest_host: no libcupti");
	f(*argument != '0');
}

bool host_recording(void)
{
	fake_cupti_recording_fn *f;

	*(void **)&f = of_cupti("fake_cupti_recording", false);
	return f && f();
}

void do_recording(struct host *h, const char *argument)
{
	(void)h;
	for (int i = 0; i < 12000; i++) {
		if (host_recording() == (*argument != '0'))
			return;
		nap(i < 200 ? 1 : 5);
	}
	host_fail("guest_host: recording is not '%s'", argument);
}
