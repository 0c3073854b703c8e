/* ledger.c - stores counts in a MAP_SHARED file, so that they survive a killed
 * process. */
#include "ledger.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct ledger_line lines_here[LEDGER_FIELDS];
static struct ledger_line *lines = lines_here;

__attribute__((constructor(102))) static void ledger_open(void)
{
	static const char *const names[] = {
#define LEDGER(field, what) #field,
#include "ledger.def"
#undef LEDGER
	};
	const char *prefix = getenv("FAKE_LEDGER");
	if (prefix && *prefix) {
		char path[512];
		snprintf(path, sizeof(path), "%s.%d.%s", prefix, (int)getpid(),
			ledger_whose);
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (fd >= 0 && ftruncate(fd, sizeof(lines_here)) == 0) {
			void *m = mmap(NULL, sizeof(lines_here),
				PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
			if (m != MAP_FAILED)
				lines = m;
		}
		if (fd >= 0)
			close(fd);
	}
	for (int i = 0; i < LEDGER_FIELDS; i++)
		snprintf(lines[i].field, sizeof(lines[i].field), "%s",
			names[i]);
}

void ledger_add(enum ledger_field field, int64_t n)
{
	lines[field].count += n;
}

void ledger_set(enum ledger_field field, int64_t value)
{
	lines[field].count = value;
}

int64_t ledger_get(enum ledger_field field)
{
	return lines[field].count;
}
