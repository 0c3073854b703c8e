-- 0035_energy.sql - the energy that the devices of a run used in its iterations.

CREATE TABLE run_energy (
	run_id           bigint NOT NULL,
	device           int NOT NULL,
	-- whose samples were used; NULL: there are none
	counter          text COLLATE "C",
	samples          bigint NOT NULL CHECK (samples >= 0),
	ignored          bigint NOT NULL CHECK (ignored BETWEEN 0 AND samples),
	gaps             bigint NOT NULL CHECK (gaps BETWEEN 0 AND samples),
	interval_ns      bigint CHECK (interval_ns > 0),
	-- consecutive rows of run_iteration
	first_iteration  int NOT NULL CHECK (first_iteration >= 0),
	iterations       int NOT NULL CHECK (iterations >= 0),
	span_ns          bigint CHECK (span_ns > 0),
	energy_j         float8 CHECK (energy_j >= low_j AND energy_j <= high_j),
	low_j            float8 CHECK (low_j >= 0),
	high_j           float8 CHECK (high_j < 'Infinity'),
	reason           text, -- why the energy is unknown
	-- of each row of run_iteration (packed); NULL: unknown of all of them
	iteration_j      bytea,
	iteration_low_j  bytea,
	iteration_high_j bytea,
	PRIMARY KEY (run_id, device),
	CHECK ((counter IS NULL) = (samples = 0)),
	CHECK (num_nulls(span_ns, energy_j, low_j, high_j) IN (0, 4)),
	CHECK (num_nulls(energy_j, reason) = 1),
	CHECK ((energy_j IS NULL) = (iterations = 0)),
	CHECK (num_nulls(iteration_j, iteration_low_j, iteration_high_j)
		IN (0, 3))
);
