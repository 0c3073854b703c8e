/* cmd_open.c - `kernsift open`: prints the address of a page, and opens it in a browser
 * if there is a display. It sends no request. */
#include "address.h"
#include "commands.h"
#include "url_encode.h"
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

/* Pages without a number. */
static const char *const open_pages[] = { "runs", "jobs", "uploads", "compare",
	"gates", "trends", "importance", "breakdown", "devices", "catalog",
	"settings", "help" };

static bool open_refuse(const char *what, struct err *e)
{
	return err_set(e, ERR_INPUT,
		"open: '%.60s' is not a page (use a run's id, job:ID, gate:ID, "
		"'compare BASE HEAD' or the name of a page such as gates)",
		what);
}

static bool open_address_numbered(struct buf *b, const struct options *o,
	const char *what, struct err *e)
{
	bool job = !strncmp(what, "job:", 4), gate = !strncmp(what, "gate:", 5);
	int64_t id = options_run_id(what + (job ? 4 : gate ? 5 : 0));

	if (!id)
		return open_refuse(what, e);
	address_path(b, o->server,
		job    ? "/jobs/"
		: gate ? "/gates/"
		       : "/runs/");
	buf_printf(b, "%" PRId64, id);
	return true;
}

static bool open_address(struct buf *b, const struct options *o, struct err *e)
{
	const char *const *words = o->files.at;
	const char *what = o->files.n ? words[0] : "";
	bool compare = !strcmp(what, "compare") && o->files.n == 3;

	if (o->files.n > 1 && !compare)
		return open_refuse(words[1], e);
	for (size_t i = 0; i < sizeof open_pages / sizeof *open_pages; i++)
		if (!strcmp(what, open_pages[i])) {
			address_path(b, o->server, "/");
			buf_puts(b, what);
			if (!compare)
				return true;
			buf_puts(b, "?base=");
			url_encode(b, words[1], strlen(words[1]));
			buf_puts(b, "&head=");
			url_encode(b, words[2], strlen(words[2]));
			return true;
		}
	if (*what)
		return open_address_numbered(b, o, what, e);
	address_path(b, o->server, "/");
	return true;
}

static bool open_has_display(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");

	return (x && *x) || (wayland && *wayland);
}

/* Starts the browser and does not wait for it. A browser that cannot be started is no
 * failure, because the address has been printed. */
static void open_browser(const char *url)
{
	pid_t pid = fork();

	if (pid)
		return;
	int null = open("/dev/null", O_RDWR);
	setsid();
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	execlp("xdg-open", "xdg-open", url, (char *)NULL);
	_exit(127);
}

int cmd_open(const struct options *o)
{
	struct err e = { 0 };
	struct buf url;

	buf_init(&url, ADDRESS_MAX);
	if (open_address(&url, o, &e)) {
		printf("%s\n", url.at);
		if (commands_flush(&e) && open_has_display())
			open_browser(url.at);
	}
	if (e.code != ERR_NONE)
		fprintf(stderr, "kernsift: %s\n", e.text);
	buf_release(&url);
	return commands_usage_status(&e);
}
