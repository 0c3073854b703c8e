-- 0022_capture_first_at.sql - when an upload recorded a CUDA graph first. An upload that
-- is analyzed again stores its captures again: they are not news for the replays of
-- other uploads.

ALTER TABLE learned_graph
	ADD COLUMN first_at timestamptz NOT NULL DEFAULT now();
UPDATE learned_graph SET first_at = created_at;
