-- +goose Up
-- merged_from are the documents with the pages of which a person made this one; NULL for other documents.
ALTER TABLE documents ADD COLUMN merged_from text;

-- +goose Down
ALTER TABLE documents DROP COLUMN merged_from;
