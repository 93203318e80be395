-- +goose Up
-- signatures are those that a signed envelope states; NULL for other documents.
ALTER TABLE documents ADD COLUMN signatures text;

-- +goose Down
ALTER TABLE documents DROP COLUMN signatures;
