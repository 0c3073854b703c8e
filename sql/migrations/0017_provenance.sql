-- 0017_provenance.sql - from which nodes of its program a compiler generated each
-- kernel: the files sent with an upload, and what they say about the kernels of a run.
ALTER TABLE upload
	ADD COLUMN provenance text; -- a JSON array of files, unchanged; NULL: none

CREATE TABLE run_origin (
	run_id    bigint NOT NULL,
	kernel_id bigint NOT NULL REFERENCES kernel (id),
	nodes     text[], -- NULL: only the lines of the program are known
	operators text[],
	stacks    text[],
	stacks_n  int NOT NULL CHECK (stacks_n >= 0),
	PRIMARY KEY (run_id, kernel_id)
);
