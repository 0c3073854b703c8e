-- 0040_device_shape.sql - how long the operators of a run on several GPUs took on each
-- of them, and how many GPUs a process saw. NULL in rows from before: unknown.

ALTER TABLE run_device
	-- GPUs that the trace lists for the process, this one among them
	ADD COLUMN visible int CHECK (visible > 0),
	-- How many rows run_device_shape has; NULL: unknown, or the run has one GPU.
	ADD COLUMN shapes int CHECK (shapes >= 0);

CREATE TABLE run_device_shape (
	run_id    bigint NOT NULL,
	device    int NOT NULL, -- run_device.number
	operator  int NOT NULL, -- run_shape.operator
	rank      int NOT NULL, -- run_shape.rank
	calls     bigint NOT NULL CHECK (calls > 0),
	median_ns double precision NOT NULL CHECK (median_ns >= 0), -- of a call
	PRIMARY KEY (run_id, device, operator, rank)
);
