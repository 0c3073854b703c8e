-- 0020_link.sql - what collectives move over links, and roofline bounds by the link.
ALTER TABLE run_shape
	-- Of one call of a collective whose cost is known; NULL for all others. The kind
	-- is a word of server/model/collective.def; the bytes are as nccl-tests count
	-- them; the ranks of its group are on this many nodes, equally many on each.
	ADD COLUMN link_kind  text COLLATE "C",
	ADD COLUMN link_bytes bigint CHECK (link_bytes >= 0),
	ADD COLUMN link_ranks bigint CHECK (link_ranks > 0),
	ADD COLUMN link_nodes bigint CHECK (link_nodes > 0),
	ADD CHECK (num_nulls(link_kind, link_bytes, link_ranks, link_nodes) IN (0, 4)),
	DROP CONSTRAINT run_shape_leg_check,
	ADD CONSTRAINT run_shape_leg_check CHECK (leg IN ('compute', 'memory', 'link'));

ALTER TABLE fleet_best
	DROP CONSTRAINT fleet_best_leg_check,
	ADD CONSTRAINT fleet_best_leg_check CHECK (leg IN ('compute', 'memory', 'link'));
