-- +goose Up
-- How often the reading of a document began without anybody recording its end.
ALTER TABLE documents ADD COLUMN interruptions integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE documents DROP COLUMN interruptions;
