-- +goose Up
-- Blobs that are removed when their grace period ends, unless a row refers to
-- them then. A REMOVED row remains for a day, so that an upload that stored the
-- same bytes before the removal notices it.
CREATE TABLE blob_removals (
    sha256          text PRIMARY KEY,
    organization_id uuid NOT NULL,
    state           text NOT NULL,
    due_at          timestamptz NOT NULL
);
CREATE INDEX blob_removals_due ON blob_removals (state, due_at);

-- Whether another document has the same bytes.
CREATE INDEX documents_of_blob ON documents (sha256);

-- +goose Down
DROP INDEX documents_of_blob;
DROP TABLE blob_removals;
