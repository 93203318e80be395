-- +goose Up
-- email is the e-mail that brought the document; NULL for other documents.
ALTER TABLE documents ADD COLUMN email jsonb;

CREATE TABLE email_intakes (
    entity_id       uuid PRIMARY KEY REFERENCES entities (id) ON DELETE CASCADE,
    organization_id uuid NOT NULL,
    token           text NOT NULL UNIQUE,
    senders         jsonb NOT NULL,
    only_senders    boolean NOT NULL,
    updated_at      timestamptz NOT NULL
);

-- +goose Down
DROP TABLE email_intakes;
ALTER TABLE documents DROP COLUMN email;
