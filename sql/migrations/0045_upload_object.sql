-- 0045_upload_object.sql - the bytes of uploads in object storage.
--
-- The bytes arrive in upload_chunk and are moved later. The row is written before the
-- object, so that the name of each object is in one of these two tables from before it
-- exists until after it is deleted.

CREATE TABLE upload_object (
	upload_id bigint PRIMARY KEY,
	object text COLLATE "C" NOT NULL UNIQUE,
	etag text COLLATE "C",
	chunk_ends bigint[] NOT NULL,
	stored_at timestamptz,
	CHECK ((stored_at IS NULL) = (etag IS NULL))
);

-- Objects that no upload needs any more. A row stays for a day after the first deletion
-- and its object is then deleted again: a request that wrote it may have been on its way.
CREATE TABLE object_to_delete (
	object text COLLATE "C" PRIMARY KEY,
	since timestamptz NOT NULL DEFAULT now(),
	deleted_at timestamptz
);

CREATE FUNCTION upload_object_unneeded() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO object_to_delete (object) VALUES (OLD.object) ON CONFLICT DO NOTHING;
	RETURN NULL;
END
$$;

CREATE TRIGGER upload_object_deleted AFTER DELETE ON upload_object
	FOR EACH ROW EXECUTE FUNCTION upload_object_unneeded();
CREATE TRIGGER upload_object_renamed AFTER UPDATE OF object ON upload_object
	FOR EACH ROW WHEN (OLD.object <> NEW.object)
	EXECUTE FUNCTION upload_object_unneeded();
