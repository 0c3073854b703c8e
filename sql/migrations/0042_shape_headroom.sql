-- 0042_shape_headroom.sql - the headroom of each shape of a run, so that the shapes
-- of an operator add up to its headroom. NULL in rows from before: unknown.

ALTER TABLE run_shape
	-- sum of (time - T_SOL) over calls above the launch floor, by the data
	-- sheet's peaks; 0 if S > 1
	ADD COLUMN headroom_ns bigint CHECK (headroom_ns >= 0),
	ADD CONSTRAINT run_shape_headroom
		CHECK (headroom_ns IS NULL OR sol_ns IS NOT NULL);
