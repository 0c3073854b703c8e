-- 0001_facts.sql - what cannot be made again: uploads and their bytes, the
-- identities of runs with what people say of them, tokens.

CREATE TABLE upload (
	id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	state        text COLLATE "C" NOT NULL DEFAULT 'receiving'
		CHECK (state IN ('receiving', 'queued', 'working', 'done', 'failed')),
	project      text COLLATE "C" NOT NULL CHECK (octet_length(project) <= 500),
	workload     text COLLATE "C" NOT NULL CHECK (octet_length(workload) <= 500),
	name         text COLLATE "C" NOT NULL CHECK (octet_length(name) <= 500),
	job          text COLLATE "C" NOT NULL CHECK (octet_length(job) <= 500),
	labels       jsonb NOT NULL CHECK (jsonb_typeof(labels) = 'object'
		AND NOT jsonb_path_exists(labels,
			'strict $.* ? (@.type() != "string")')),
	file_name    text COLLATE "C" NOT NULL
		CHECK (octet_length(file_name) <= 500),
	gpu_hours    double precision
		CHECK (gpu_hours >= 0 AND gpu_hours < 'Infinity'),
	-- The bytes: counted while they arrive, named once all are in.
	bytes        bigint NOT NULL DEFAULT 0 CHECK (bytes >= 0),
	chunks       int NOT NULL DEFAULT 0 CHECK (chunks >= 0),
	sha256       bytea CHECK (octet_length(sha256) = 32),
	-- sha256 of all that makes two uploads the same; NULL while receiving and
	-- once every run made from it was deleted.
	identity     bytea UNIQUE CHECK (octet_length(identity) = 32),
	-- The work: who holds it under which fence until when, how far it is.
	worker       text,
	token        bigint NOT NULL DEFAULT 0,
	lease_until  timestamptz,
	tries        int NOT NULL DEFAULT 0 CHECK (tries >= 0),
	stage        text CHECK (stage IN ('decode', 'analyze', 'save')),
	done_bytes   bigint NOT NULL DEFAULT 0 CHECK (done_bytes >= 0),
	best_bytes   bigint NOT NULL DEFAULT 0 CHECK (best_bytes >= 0),
	error        text CHECK (error <> ''),
	created_at   timestamptz NOT NULL DEFAULT now(),
	touched_at   timestamptz NOT NULL DEFAULT now(),
	received_at  timestamptz,
	queued_at    timestamptz,
	finished_at  timestamptz,
	CHECK ((state = 'receiving') = (sha256 IS NULL)),
	CHECK ((state = 'receiving') = (received_at IS NULL)),
	CHECK ((state = 'receiving') = (queued_at IS NULL)),
	CHECK (identity IS NULL OR sha256 IS NOT NULL),
	CHECK ((state = 'working') = (worker IS NOT NULL)),
	CHECK ((state = 'working') = (lease_until IS NOT NULL)),
	CHECK (stage IS NULL OR state = 'working'),
	CHECK ((state = 'failed') = (error IS NOT NULL)),
	CHECK ((state IN ('done', 'failed')) = (finished_at IS NOT NULL))
) WITH (fillfactor = 60);
-- Room on each page, so that a chunk's or a lease's update stays on it and
-- touches no index: none names a column that they change.
CREATE INDEX upload_state ON upload (state, id);
CREATE INDEX upload_queue ON upload (queued_at, id) WHERE state = 'queued';

-- Wakes whoever waits for work (upload_wait in server/store).
CREATE FUNCTION upload_tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_notify('kernsift_queue', '');
	RETURN NULL;
END $$;
CREATE TRIGGER upload_queued AFTER UPDATE OF state ON upload
FOR EACH ROW WHEN (NEW.state = 'queued') EXECUTE FUNCTION upload_tell();

CREATE TABLE upload_chunk (
	upload_id bigint NOT NULL,
	seq       int NOT NULL CHECK (seq >= 0),
	bytes     bytea NOT NULL
		CHECK (octet_length(bytes) BETWEEN 1 AND 1048576),
	PRIMARY KEY (upload_id, seq)
);
-- What arrives is compressed already as a rule.
ALTER TABLE upload_chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE run_identity (
	id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	upload_id  bigint NOT NULL REFERENCES upload (id),
	ordinal    int NOT NULL CHECK (ordinal >= 0),
	name       text COLLATE "C" NOT NULL CHECK (octet_length(name) <= 500),
	project    text COLLATE "C" NOT NULL CHECK (octet_length(project) <= 500),
	workload   text COLLATE "C" NOT NULL CHECK (octet_length(workload) <= 500),
	labels     jsonb NOT NULL CHECK (jsonb_typeof(labels) = 'object'
		AND NOT jsonb_path_exists(labels,
			'strict $.* ? (@.type() != "string")')),
	created_at timestamptz NOT NULL DEFAULT now(),
	deleted_at timestamptz CHECK (deleted_at >= created_at),
	UNIQUE (upload_id, ordinal)
);

CREATE TABLE token (
	id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name       text NOT NULL CHECK (octet_length(name) BETWEEN 1 AND 500),
	scope      text NOT NULL CHECK (scope IN ('read', 'upload', 'admin')),
	sha256     bytea NOT NULL UNIQUE CHECK (octet_length(sha256) = 32),
	created_at timestamptz NOT NULL DEFAULT now()
);
