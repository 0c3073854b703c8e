/* sqlite_vfs.h - how SQLite reads our copy: by its descriptor, and no more.
 *
 * Instead of SQLite's own file system: there is one file, called by the
 * decimal number of its descriptor, which is only ever read. Nothing is
 * written, locked or looked for beside it: no journal, no log, no name. */
#pragma once

/* What sqlite3_open_v2() is to be told; registered at the first call. */
const char *sqlite_vfs_name(void);
