-- +goose Up
-- The proof that an organization was erased. It has no personal data and remains.
CREATE TABLE erasures (
    organization_id text PRIMARY KEY NOT NULL,
    actor           text NOT NULL,
    counts          text NOT NULL,
    started_at      timestamp NOT NULL,
    finished_at     timestamp
);

-- +goose Down
DROP TABLE erasures;
