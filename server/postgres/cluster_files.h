/* cluster_files.h - what a private cluster is made of and told, as files. */
#pragma once
#include "data_dir.h"
#include "pg_tools.h"

/* initdb, in a folder that gets its name when it is complete. */
bool cluster_make(const struct folder *f, const struct account *who,
	const struct postgres *programs, struct err *e);

/* A cluster's folder with all that is in it. */
void cluster_remove(const char *pg);

/* Who may connect: the account and root, over the socket, as who they are. */
bool cluster_rules_write(const struct folder *f, const struct account *who,
	struct arena *a, struct err *e);

/* The setting of the socket's folder, and the connection string. */
const char *cluster_socket_setting(const struct folder *f, struct arena *a);
const char *cluster_conninfo_from(const struct folder *f, struct arena *a);
/* libpq's variables are for another database; the private one has its own. */
void cluster_environment_clear(void);

/* For appending; a large one is first set aside as postgres.log.1. */
bool cluster_log_open(const struct folder *f, int *fd, struct err *e);
/* The last thing PostgreSQL complained of. */
const char *cluster_log_last(const struct folder *f, struct arena *a);
