/* convert.c - the command `convert`: reads a trace, writes a capture file under
 * a temporary name and renames it. */
#include "capture_write.h"
#include "command.h"
#include "err.h"
#include "inspect.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

static bool convert_cannot(struct err *e, const char *path)
{
	return err_set(e, errno == ENOSPC ? ERR_DISK_FULL : ERR_INTERNAL,
		"'%.200s' cannot be written: %s", path, strerror(errno));
}

/* Whether `in` can be read from and `out` can be written to. */
static bool convert_names_good(const char *in, const char *out, struct err *e)
{
	struct stat from, to;
	if (!*out)
		return err_set(e, ERR_INPUT,
			"the name of the capture file is empty");
	if (stat(out, &to))
		return true;
	if (!S_ISREG(to.st_mode))
		return err_set(e, ERR_INPUT, "'%.200s' is not a regular file",
			out);
	if (stat(in, &from) == 0 && from.st_dev == to.st_dev &&
		from.st_ino == to.st_ino)
		return err_set(e, ERR_INPUT,
			"'%.200s' is the trace itself; give the capture "
			"file another name",
			out);
	return true;
}

/* The index of a run in the trace; CAPTURE_ALL if no number was given (-1). */
static bool convert_run_place(int64_t run, const struct trace *t,
	uint32_t *place, struct err *e)
{
	*place = run < 0 ? CAPTURE_ALL : (uint32_t)run - 1;
	return run <= (int64_t)t->processes_n ||
	       err_set(e, ERR_INPUT,
		       "--run: %" PRId64 " is above the number of runs, "
		       "%" PRIu32,
		       run, t->processes_n);
}

static bool convert_put(void *to, const void *bytes, size_t len, struct err *e)
{
	FILE *f = to;
	return fwrite(bytes, 1, len, f) == len ||
	       convert_cannot(e, "the capture");
}

/* Opens a file with an unused name in the folder of `out`. */
static FILE *convert_open_temporary(char *name, const char *out, struct err *e)
{
	mode_t mask = umask(0);
	umask(mask);
	int fd = mkstemp(name);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
	if (f && fchmod(fd, 0666 & ~mask) == 0)
		return f;
	convert_cannot(e, out);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	if (fd >= 0)
		unlink(name);
	return NULL;
}

static bool convert_write_file(const struct trace *t, uint32_t run,
	const char *out, struct capture_size *size, struct err *e)
{
	char name[PATH_MAX];
	int len = snprintf(name, sizeof name, "%s.XXXXXX", out);
	if (len < 0 || (size_t)len >= sizeof name) {
		errno = ENAMETOOLONG;
		return convert_cannot(e, out);
	}
	FILE *f = convert_open_temporary(name, out, e);
	if (!f)
		return false;
	bool ok = capture_write_sized(t, run, convert_put, f, size, e);
	if (ok && (fflush(f) || fsync(fileno(f))))
		ok = convert_cannot(e, out);
	if (fclose(f) && ok)
		ok = convert_cannot(e, out);
	if (ok && rename(name, out))
		ok = convert_cannot(e, out);
	if (!ok)
		unlink(name);
	return ok;
}

static void convert_report(const char *out, const struct trace *t, uint32_t run,
	const struct capture_size *size)
{
	struct slice k = { 0, t->kernel.n };
	uint32_t runs = run == CAPTURE_ALL ? t->processes_n : 1;
	if (run != CAPTURE_ALL)
		k = t->processes[run].kernel;
	printf("%s: %" PRIu32 " run%s, %" PRIu64 " bytes", out, runs,
		runs == 1 ? "" : "s", size->bytes);
	if (k.to > k.from)
		printf(", %.2f bytes per kernel record",
			(double)size->kernel_bytes / (k.to - k.from));
	putchar('\n');
}

/* Reads `in` and writes `out`: all runs or, if `run` is given, the run with
 * that number in the output of `inspect`. Then prints one line about the
 * result. The file is written under a temporary name in the folder of `out` and
 * renamed when it is complete. ERR_INPUT if an argument is wrong. */
static bool convert_file(const char *in, const char *out, int64_t run,
	const struct inspect_limits *limits, struct err *e)
{
	struct arena a = { .ceiling = (size_t)limits->arena_mib << 20 };
	struct capture_size size = { 0 };
	struct trace t;
	uint32_t place;
	bool ok = convert_names_good(in, out, e) &&
		  (trace_init(&t, &a) || arena_err(&a, e)) &&
		  inspect_read(in, limits, &t, e) &&
		  convert_run_place(run, &t, &place, e) &&
		  convert_write_file(&t, place, out, &size, e);
	if (ok)
		convert_report(out, &t, place, &size);
	arena_release(&a);
	return ok;
}

int command_convert(const struct invocation *in)
{
	const struct config *c = in->config;
	struct inspect_limits limits = { c->ingest_mib, c->max_uncompressed_mib,
		c->max_compression_ratio };
	struct err e = { 0 };

	return convert_file(in->operands[0], in->operands[1], c->run, &limits,
		       &e)
		       ? 0
		       : command_fail(&e);
}
