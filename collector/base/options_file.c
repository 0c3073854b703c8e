/* options_file.c - the file of KERNSIFT_TRACE_CONFIG becomes a list of lines. */
#include "options_parts.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MOST = OPTIONS_FILE_MAX - 2 };

/* Blanks around it are no part of a line. */
static char *strip(char *line)
{
	size_t len;

	line += strspn(line, " \t\r");
	for (len = strlen(line); len && strchr(" \t\r", line[len - 1]);)
		line[--len] = '\0';
	return line;
}

/* Cuts the text into the list that takes its place. */
static void cut_lines(char *text, const struct complaint *c)
{
	char *to = text;
	char *next;

	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line = strip(line);
		size_t len = strlen(line);
		size_t name_len = strcspn(line, "=");
		if (!len || *line == '#')
			continue;
		if (name_len == len || !options_knows(line, name_len)) {
			complain(c,
				"'%.60s' in the file of KERNSIFT_TRACE_CONFIG "
				"sets no option; it is passed over",
				line);
			continue;
		}
		memmove(to, line, len + 1);
		to += len + 1;
	}
	*to = '\0';
}

static ssize_t read_all(const char *path, char *to)
{
	ssize_t got = 0;
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	while (fd >= 0 && got < MOST &&
		(n = read(fd, to + got, (size_t)(MOST - got))) > 0)
		got += n;
	if (fd >= 0) {
		int failure = errno;
		close(fd);
		errno = failure;
	}
	return n < 0 ? -1 : got;
}

void options_file(char *lines, const char *path, const struct complaint *c)
{
	ssize_t got = read_all(path, lines);

	if (got < 0) {
		complain(c,
			"'%.100s', named by KERNSIFT_TRACE_CONFIG, cannot be "
			"read (%s); the environment alone is used",
			path, strerror(errno));
		got = 0;
	}
	if (got == MOST) {
		complain(c,
			"'%.100s', named by KERNSIFT_TRACE_CONFIG, is larger "
			"than 64 KiB; what is beyond is not used",
			path);
		while (got && lines[got - 1] != '\n')
			got--;
	}
	lines[got] = '\0';
	cut_lines(lines, c);
}
