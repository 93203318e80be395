-- +goose Up
-- The proof that an organization was erased. It has no personal data and remains.
CREATE TABLE erasures (
    organization_id uuid PRIMARY KEY NOT NULL,
    actor           text NOT NULL,
    counts          jsonb NOT NULL,
    started_at      timestamptz NOT NULL,
    finished_at     timestamptz
);

-- +goose Down
DROP TABLE erasures;
