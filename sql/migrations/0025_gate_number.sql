-- 0025_gate_number.sql - the gates of a commit, numbered: the n-th gets a part of alpha.
-- A row is kept if its gate is deleted, so that a deleted gate still counts.

CREATE TABLE gate_number (
	project    text COLLATE "C" NOT NULL CHECK (octet_length(project) <= 500),
	-- The value of the label that names the commit.
	commit     text COLLATE "C" NOT NULL,
	-- A hash of the gate's rules and of the runs of both sides.
	request    bytea NOT NULL CHECK (octet_length(request) = 32),
	number     integer NOT NULL CHECK (number > 0),
	PRIMARY KEY (project, commit, request),
	UNIQUE (project, commit, number)
);
