-- 0031_busy_class.sql - what limited the busy time of the iterations of a run.

CREATE TABLE run_busy_class (
	run_id       bigint NOT NULL,
	class        text COLLATE "C" NOT NULL CHECK (class IN ('compute_bound',
		'memory_bound', 'no_bound', 'launch_floor', 'exposed_communication',
		'copies')),
	time_ns      bigint NOT NULL CHECK (time_ns >= 0), -- over the kept iterations
	-- of each row of run_iteration (packed)
	iteration_ns bytea NOT NULL,
	PRIMARY KEY (run_id, class)
);
