-- +goose Up
-- The oldest documents first, for the deletion by age.
CREATE INDEX documents_by_age ON documents (created_at, id) WHERE parent_id IS NULL;

-- +goose Down
DROP INDEX documents_by_age;
