/* cmd_login.c - `kernsift login` and `logout`: store and delete a server's address and a
 * token. */
#include "address.h"
#include "commands.h"
#include "fetch.h"
#include "json_get.h"
#include "login.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum {
	LOGIN_TOKEN = 512, /* bytes; the server's tokens have 51 */
	LOGIN_END = 4, /* ^D */
	LOGIN_INTERRUPT = 3, /* ^C */
	LOGIN_CLEAR = 21, /* ^U */
};

/* --- the token --------------------------------------------------------- */

/* One key of the terminal. Returns false at the end of the line. */
static bool login_key(char c, char token[static LOGIN_TOKEN], size_t *n,
	struct err *e)
{
	if (c == LOGIN_INTERRUPT)
		return err_set(e, ERR_INPUT, "login: canceled");
	if (c == '\n' || c == '\r' || c == LOGIN_END)
		return false;
	if (c == LOGIN_CLEAR)
		*n = 0;
	else if (c == '\b' || c == 0x7f)
		*n -= *n > 0;
	else if (*n + 1 < LOGIN_TOKEN)
		token[(*n)++] = c;
	else
		return err_set(e, ERR_INPUT,
			"login: a token has at most %d bytes", LOGIN_TOKEN - 1);
	return true;
}

/* Reads a line of a terminal without showing it. Keys are read one by one, so that ^C
 * cannot end the program before the terminal shows text again. */
static bool login_read_terminal(const char *server,
	char token[static LOGIN_TOKEN], struct err *e)
{
	struct termios before, hidden;
	size_t n = 0;
	char c;

	if (tcgetattr(STDIN_FILENO, &before))
		return err_set(e, ERR_FILE, "cannot read from the terminal: %s",
			strerror(errno));
	hidden = before;
	hidden.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
	/* Before the prompt: this discards what was typed, and shows nothing later. */
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
	fprintf(stderr, "Token for %s (empty: none): ", server);
	while (read(STDIN_FILENO, &c, 1) == 1 && login_key(c, token, &n, e))
		;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
	fputs("\n", stderr);
	token[n] = '\0';
	return e->code == ERR_NONE;
}

/* Reads the first line of standard input. */
static bool login_read_pipe(char token[static LOGIN_TOKEN], struct err *e)
{
	if (!fgets(token, LOGIN_TOKEN, stdin))
		*token = '\0';
	size_t n = strcspn(token, "\r\n");
	if (n == LOGIN_TOKEN - 1)
		return err_set(e, ERR_INPUT,
			"login: a token has at most %d bytes", LOGIN_TOKEN - 1);
	token[n] = '\0';
	return true;
}

/* --- the file ---------------------------------------------------------- */

/* Creates the folders above the file; only the user may enter new ones. */
static void login_make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
}

static bool login_write_document(const char *path, json_t *v, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok = fd >= 0 && !json_dumpfd(v, fd, JSON_INDENT(1)) && !fsync(fd);

	if (!ok)
		err_set(e, ERR_FILE, "cannot write '%.300s': %s", path,
			strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

/* Replaces the file at once, so that nobody reads half of it. */
static bool login_write(const char *server, const char *token, struct err *e)
{
	char path[LOGIN_PATH], part[LOGIN_PATH + 32];

	login_path(path);
	if (!*path)
		return err_set(e, ERR_FILE,
			"login: there is no home folder (set XDG_CONFIG_HOME)");
	snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
	login_make_folders(path);
	json_t *v = json_pack("{s:s, s:s}", "server", server, "token", token);
	bool ok = login_write_document(part, v, e) &&
		  (!rename(part, path) ||
			  err_set(e, ERR_FILE, "cannot write '%.300s': %s",
				  path, strerror(errno)));
	if (!ok)
		unlink(part);
	json_decref(v);
	return ok;
}

/* --- the commands ------------------------------------------------------ */

static void login_print(struct arena *a, const char *server,
	const json_t *session)
{
	const char *name = json_get_text(a, session, "name");

	printf("signed in to %s%s%s, scope %s\n", server, *name ? " as " : "",
		name, json_get_text(a, session, "scope"));
}

/* The server must accept the token before it is stored. */
static bool login_run(struct fetch *f, struct err *e)
{
	const struct options *o = f->o;
	struct arena a = { 0 };
	struct buf url;

	buf_init(&url, ADDRESS_MAX);
	address_path(&url, o->server, "/api/v1/session");
	json_t *session = fetch_json(f, url.at, "scope", e);
	buf_release(&url);
	bool ok = session && login_write(o->server,
				     o->login.token ? o->login.token : "", e);
	if (ok)
		login_print(&a, o->server, session);
	json_decref(session);
	arena_release(&a);
	return ok;
}

int cmd_login(const struct options *o)
{
	char token[LOGIN_TOKEN] = "";
	struct options with = *o;
	struct err e = { 0 };
	bool ok = isatty(STDIN_FILENO)
			  ? login_read_terminal(o->server, token, &e)
			  : login_read_pipe(token, &e);

	if (!ok) {
		fprintf(stderr, "kernsift: %s\n", e.text);
		return commands_usage_status(&e);
	}
	with.login = (struct login){ strdup(o->server), *token ? token : NULL };
	if (!with.login.server)
		abort();
	with.login_only = true;
	int status = fetch_run(&with, "login", login_run);
	free(with.login.server);
	return status;
}

int cmd_logout(const struct options *o)
{
	char path[LOGIN_PATH];
	struct err e = { 0 };

	(void)o;
	login_path(path);
	if (*path && unlink(path) && errno != ENOENT && errno != ENOTDIR)
		err_set(&e, ERR_FILE, "cannot delete '%.300s': %s", path,
			strerror(errno));
	if (e.code != ERR_NONE)
		fprintf(stderr, "kernsift: %s\n", e.text);
	return commands_usage_status(&e);
}
