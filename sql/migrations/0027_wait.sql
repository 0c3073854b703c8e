-- 0027_wait.sql - why the GPU was idle in the iterations of a run.

CREATE TABLE run_wait (
	run_id       bigint NOT NULL,
	cause        text COLLATE "C" NOT NULL CHECK (cause IN ('synchronization',
		'copy_wait', 'host_gap', 'launch_bound', 'graph_launch',
		'stream_dependency', 'unknown')),
	-- over the kept iterations
	time_ns      bigint NOT NULL CHECK (time_ns >= 0),
	parts        bigint NOT NULL CHECK (parts >= 0), -- of idle intervals
	-- of each row of run_iteration (packed)
	iteration_ns bytea NOT NULL,
	PRIMARY KEY (run_id, cause),
	CHECK ((time_ns > 0) = (parts > 0))
);

-- What the host did in this time, at most ten names per cause.
CREATE TABLE run_wait_name (
	run_id  bigint NOT NULL,
	rank    int NOT NULL, -- by cause, then most time first
	cause   text COLLATE "C" NOT NULL CHECK (cause IN ('synchronization',
		'copy_wait', 'host_gap', 'launch_bound')),
	-- An API call of a synchronization, a copy wait or a launch; the innermost range
	-- or operator of a host gap.
	kind    text COLLATE "C" NOT NULL CHECK (kind IN ('annotation', 'module',
		'python', 'op', 'call')),
	name    text COLLATE "C" NOT NULL,
	time_ns bigint NOT NULL CHECK (time_ns > 0),
	PRIMARY KEY (run_id, rank),
	CHECK ((cause = 'host_gap') = (kind <> 'call'))
);
