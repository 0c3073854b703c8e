-- 0045_upload_object.sql - the bytes of uploads in an object storage.
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

-- Objects that no row names any more and that are deleted next.
CREATE TABLE object_gone (
	object text COLLATE "C" PRIMARY KEY,
	gone_at timestamptz NOT NULL DEFAULT now()
);

-- A name is used once: an object that is being deleted is never written again.
CREATE SEQUENCE object_number;

CREATE FUNCTION upload_object_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO object_gone (object) VALUES (OLD.object);
	RETURN NULL;
END
$$;

CREATE TRIGGER upload_object_deleted AFTER DELETE ON upload_object
	FOR EACH ROW EXECUTE FUNCTION upload_object_gone();
CREATE TRIGGER upload_object_renamed AFTER UPDATE OF object ON upload_object
	FOR EACH ROW WHEN (OLD.object <> NEW.object)
	EXECUTE FUNCTION upload_object_gone();

-- Whether the bytes of an upload can be read.
CREATE FUNCTION has_bytes(id bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
	SELECT EXISTS (SELECT FROM upload_chunk AS c WHERE c.upload_id = id AND c.seq = 0)
		OR EXISTS (SELECT FROM upload_object AS o
			WHERE o.upload_id = id AND o.stored_at IS NOT NULL)
$$;
