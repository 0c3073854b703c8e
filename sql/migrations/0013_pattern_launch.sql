-- 0013_pattern_launch.sql - how a kernel was launched, so that comparisons find it
-- again under another name; NULL in rows from before.
ALTER TABLE run_pattern
	-- Position in the order of first launches on its device.
	ADD COLUMN launch_order    int CHECK (launch_order > 0),
	-- For kernels whose names have a number or are tuned, the most frequent first.
	ADD COLUMN launch_shapes   text[],
	ADD COLUMN operator_shapes text[];
