/* files.c - finds the bytes, the content type and the ETag of a path of the web
 * page. */
#include "files.h"
#include "embedded.h"
#include "sha256.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 32 << 20 };
static const char KEPT[] = "kept/", BUNDLE[] = "bundle/",
		  PERFETTO[] = "perfetto/";

extern const struct embedded web_files[];

struct files {
	char *dir; /* resolved path; NULL: only web_files */
	char *perfetto; /* likewise; NULL: no copy of the Perfetto UI */
	char (*etags)[ETAG_TEXT]; /* the ETags of web_files */
};

static void files_etag_of(const void *bytes, size_t len, char out[ETAG_TEXT])
{
	uint8_t digest[SHA256_BYTES];
	char hex[SHA256_HEX];
	sha256_of(bytes, len, digest);
	sha256_hex(digest, hex);
	snprintf(out, ETAG_TEXT, "\"%.16s\"", hex);
}

/* Resolves the folder of an option, if it is given. */
static bool files_folder(const char *given, const char *option, char **dir,
	struct err *e)
{
	if (!given || !*given || (*dir = realpath(given, NULL)))
		return true;
	return err_set(e, ERR_INPUT, "there is no folder '%.200s' for %s",
		given, option);
}

struct files *files_new(const char *dir, const char *perfetto, struct err *e)
{
	struct files *f = calloc(1, sizeof *f);
	size_t n = 0;
	if (!f)
		abort();
	if (!files_folder(dir, "--web", &f->dir, e) ||
		!files_folder(perfetto, "--perfetto-dir", &f->perfetto, e)) {
		files_free(f);
		return NULL;
	}
	while (web_files[n].path)
		n++;
	f->etags = calloc(n + 1, sizeof *f->etags);
	if (!f->etags)
		abort();
	for (size_t i = 0; i < n; i++)
		files_etag_of(web_files[i].bytes, *web_files[i].len,
			f->etags[i]);
	return f;
}

void files_free(struct files *f)
{
	if (!f)
		return;
	free(f->dir);
	free(f->perfetto);
	free(f->etags);
	free(f);
}

static const char *files_type_of(const char *path)
{
	static const char *const types[][2] = {
		{ "html", "text/html; charset=utf-8" },
		{ "css", "text/css; charset=utf-8" },
		{ "js", "text/javascript; charset=utf-8" },
		{ "mjs", "text/javascript; charset=utf-8" },
		{ "json", "application/json" },
		{ "svg", "image/svg+xml" },
		{ "png", "image/png" },
		{ "ico", "image/x-icon" },
		{ "woff2", "font/woff2" },
		{ "wasm", "application/wasm" },
		{ "map", "application/json" },
		{ "txt", "text/plain; charset=utf-8" },
		{ "md", "text/markdown; charset=utf-8" },
	};
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
		if (!strcmp(dot + 1, types[i][0]))
			return types[i][1];
	return "application/octet-stream";
}

static bool files_read_whole(const char *path, struct web_file *out)
{
	struct stat st;
	FILE *in = fopen(path, "rbe");
	if (!in)
		return false;
	bool ok = !fstat(fileno(in), &st) && S_ISREG(st.st_mode) &&
		  st.st_size <= FILE_MAX;
	if (ok) {
		out->len = (size_t)st.st_size;
		out->owned = malloc(out->len + 1);
		if (!out->owned)
			abort();
		ok = fread(out->owned, 1, out->len, in) == out->len;
		if (!ok)
			free(out->owned);
		out->bytes = out->owned;
	}
	fclose(in);
	return ok;
}

/* Opens a file below a folder, if the file is really inside it. */
static bool files_on_disk(const char *dir, const char *path,
	struct web_file *out)
{
	char wanted[PATH_MAX];
	size_t root = strlen(dir);
	if (snprintf(wanted, sizeof wanted, "%s/%s", dir, path) >=
		(int)sizeof wanted)
		return false;
	char *real = realpath(wanted, NULL);
	bool ok = real && !strncmp(real, dir, root) && real[root] == '/' &&
		  files_read_whole(real, out);
	free(real);
	if (ok)
		files_etag_of(out->bytes, out->len, out->etag);
	return ok;
}

/* The index in web_files, or -1. */
static int files_index(const char *path)
{
	for (int i = 0; web_files[i].path; i++)
		if (!strcmp(web_files[i].path, path))
			return i;
	return -1;
}

static bool files_carried(const struct files *f, const char *path, bool gzip,
	struct web_file *out)
{
	char packed[PATH_MAX];
	int at = files_index(path);
	if (at < 0)
		return false;
	memcpy(out->etag, f->etags[at], ETAG_TEXT);
	snprintf(packed, sizeof packed, "%s.gz", path);
	int packed_at = files_index(packed);
	out->has_gzip = packed_at >= 0;
	out->gzip = gzip && out->has_gzip;
	if (out->gzip)
		at = packed_at;
	out->bytes = web_files[at].bytes;
	out->len = *web_files[at].len;
	out->never_changes = !strncmp(path, BUNDLE, strlen(BUNDLE));
	return true;
}

/* Opens a file of the copy of the Perfetto UI. Its start page is the folder. */
static bool files_of_perfetto(const struct files *f, const char *path,
	struct web_file *out)
{
	const char *name = *path ? path : "index.html";
	out->type = files_type_of(name);
	out->of_perfetto = true;
	return f->perfetto && files_on_disk(f->perfetto, name, out);
}

bool files_get(const struct files *f, const char *path, bool gzip,
	struct web_file *out, struct err *e)
{
	const char *name = path + (*path == '/');
	bool plain = !strstr(name, "..") && !strchr(name, '%');
	size_t prefix = strlen(PERFETTO);
	*out = (struct web_file){ 0 };
	if (!strncmp(name, PERFETTO, prefix)) {
		if (plain && files_of_perfetto(f, name + prefix, out))
			return true;
		return err_set(e, ERR_NOT_FOUND,
			"no such path: '%.200s' (--perfetto-dir serves a copy "
			"of the Perfetto UI)",
			path);
	}
	if (!strchr(name, '.'))
		name = "index.html";
	out->type = files_type_of(name);
	if (plain && ((f->dir && files_on_disk(f->dir, name, out)) ||
			     ((!f->dir || !strncmp(name, KEPT, strlen(KEPT))) &&
				     files_carried(f, name, gzip, out))))
		return true;
	return err_set(e, ERR_NOT_FOUND, "no such path: '%.200s'", path);
}

bool files_match(const char *header, const char *etag)
{
	size_t len = strlen(etag);
	while (header && *header) {
		header += strspn(header, ", \t");
		if (!strncmp(header, "W/", 2))
			header += 2;
		size_t n = strcspn(header, ", \t");
		if ((n == len && !strncmp(header, etag, n)) ||
			(n == 1 && *header == '*'))
			return true;
		header += n;
	}
	return false;
}
