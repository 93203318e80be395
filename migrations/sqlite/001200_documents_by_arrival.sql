-- +goose Up
-- The documents that arrived in a period, for the report on the processing.
CREATE INDEX documents_by_arrival ON documents (organization_id, created_at, status, id);

-- +goose Down
DROP INDEX documents_by_arrival;
