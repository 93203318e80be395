-- +goose Up
-- known are the documents that the entity had before a container brought the same bytes again; NULL for other documents.
ALTER TABLE documents ADD COLUMN known jsonb;

-- Files in a container are whole files and have the part 0.
DROP INDEX documents_parts;
CREATE UNIQUE INDEX documents_parts ON documents (parent_id, part) WHERE parent_id IS NOT NULL AND part > 0;
CREATE INDEX documents_of_parent ON documents (parent_id, id) WHERE parent_id IS NOT NULL;

-- +goose Down
DROP INDEX documents_of_parent;
DROP INDEX documents_parts;
CREATE UNIQUE INDEX documents_parts ON documents (parent_id, part) WHERE parent_id IS NOT NULL;
ALTER TABLE documents DROP COLUMN known;
