-- 0008_teams.sql - who may do what and did what, gates, where a series changed,
-- what is kept how long, and whom to tell.

ALTER TABLE token
	-- NULL: of all projects
	ADD COLUMN project    text COLLATE "C"
		CHECK (octet_length(project) BETWEEN 1 AND 500),
	ADD COLUMN expires_at timestamptz,
	-- to the minute
	ADD COLUMN used_at    timestamptz,
	-- when a sign-in was last written down
	ADD COLUMN signed_at  timestamptz,
	ADD COLUMN made_by    text NOT NULL DEFAULT 'kernsiftd token'
		CHECK (octet_length(made_by) BETWEEN 1 AND 500),
	-- The token that made it, and that takes it along when it goes.
	ADD COLUMN maker_id   bigint REFERENCES token (id) ON DELETE CASCADE;
CREATE INDEX token_maker ON token (maker_id) WHERE maker_id IS NOT NULL;

-- What somebody changed. Written before it is tried; `status` is how it ended,
-- NULL where the server ended first.
CREATE TABLE audit (
	id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	at       timestamptz NOT NULL DEFAULT now(),
	-- The token's name, 'loopback', or the command of kernsiftd.
	who      text NOT NULL CHECK (octet_length(who) BETWEEN 1 AND 500),
	token_id bigint, -- may be gone
	project  text COLLATE "C" CHECK (octet_length(project) <= 500),
	method   text NOT NULL CHECK (octet_length(method) BETWEEN 1 AND 20),
	path     text NOT NULL CHECK (octet_length(path) BETWEEN 1 AND 2000),
	detail   text CHECK (octet_length(detail) <= 2000),
	status   int CHECK (status BETWEEN 100 AND 599)
);
CREATE INDEX audit_project ON audit (project, id);

-- What a gate said, as it was said.
CREATE TABLE gate (
	id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	created_at timestamptz NOT NULL DEFAULT now(),
	who        text NOT NULL CHECK (octet_length(who) BETWEEN 1 AND 500),
	-- Of the head's runs.
	project    text COLLATE "C" NOT NULL CHECK (octet_length(project) <= 500),
	workload   text COLLATE "C" NOT NULL CHECK (octet_length(workload) <= 500),
	name       text NOT NULL CHECK (octet_length(name) <= 500),
	outcome    text NOT NULL
		CHECK (outcome IN ('pass', 'regressed', 'undecided', 'bad_data')),
	-- The API's answer, but for what the columns above say.
	document   jsonb NOT NULL CHECK (jsonb_typeof(document) = 'object')
);
CREATE INDEX gate_project ON gate (project, workload, id);

-- A change of level that was told. `run_id` is the first run behind it.
CREATE TABLE change_told (
	project   text COLLATE "C" NOT NULL,
	workload  text COLLATE "C" NOT NULL,
	metric    text COLLATE "C" NOT NULL,
	run_id    bigint NOT NULL,
	told_at   timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (project, workload, metric, run_id)
);
-- How far the series of a workload were looked at.
CREATE TABLE change_seen (
	project  text COLLATE "C" NOT NULL,
	workload text COLLATE "C" NOT NULL,
	run_id   bigint NOT NULL,
	PRIMARY KEY (project, workload)
);

-- How long what is kept; of a project, or of all that have no row of their own.
CREATE TABLE retention (
	project   text COLLATE "C" CHECK (octet_length(project) <= 500),
	raw_days  int CHECK (raw_days >= 0), -- an upload's bytes; NULL for ever
	run_days  int CHECK (run_days >= 0), -- its runs and all that was derived
	quota_mib bigint CHECK (quota_mib >= 0), -- bytes of uploads and captures
	UNIQUE NULLS NOT DISTINCT (project)
);
-- When the bytes of an upload were dropped, though its runs may be there.
ALTER TABLE upload ADD COLUMN dropped_at timestamptz;
CREATE INDEX upload_project ON upload (project, id);

CREATE TABLE webhook (
	id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	project    text COLLATE "C" CHECK (octet_length(project) BETWEEN 1 AND 500),
	url        text NOT NULL CHECK (octet_length(url) BETWEEN 1 AND 2000),
	-- The key of the signature: it has to be known to sign.
	secret     bytea NOT NULL CHECK (octet_length(secret) = 32),
	events     text[] NOT NULL CHECK (cardinality(events) > 0),
	made_by    text NOT NULL CHECK (octet_length(made_by) BETWEEN 1 AND 500),
	created_at timestamptz NOT NULL DEFAULT now(),
	slow_at    timestamptz DEFAULT now() -- NULL: the last try took no time
);
CREATE TABLE webhook_delivery (
	id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	webhook_id   bigint NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
	event        text NOT NULL CHECK (octet_length(event) BETWEEN 1 AND 100),
	body         text NOT NULL CHECK (octet_length(body) <= 262144),
	created_at   timestamptz NOT NULL DEFAULT now(),
	tries        int NOT NULL DEFAULT 0 CHECK (tries >= 0),
	next_at      timestamptz DEFAULT now(), -- NULL: over
	delivered_at timestamptz,
	status       int, -- the last answer's
	error        text CHECK (error <> ''), -- of the last try
	CHECK (delivered_at IS NULL OR next_at IS NULL)
);
CREATE INDEX webhook_due ON webhook_delivery (webhook_id, id)
	WHERE next_at IS NOT NULL;
CREATE INDEX webhook_of ON webhook_delivery (webhook_id, id);

-- What a workload's series is read by: its runs in order; an operator's and a
-- kernel's numbers in all of them, without touching the rows.
CREATE INDEX run_series ON run (project, workload, created_at, run_id);
CREATE INDEX run_operator_of ON run_operator (operator, run_id)
	INCLUDE (total_ns) WHERE operator IS NOT NULL;
CREATE INDEX run_kernel_of ON run_kernel (kernel_id, run_id)
	INCLUDE (instances, total_ns, min_ns, max_ns, med_ns, p90_ns, p99_ns)
	WHERE split = 0;
