-- +goose Up
-- email is the e-mail that brought the document; NULL for other documents.
ALTER TABLE documents ADD COLUMN email text;

CREATE TABLE email_intakes (
    entity_id       text PRIMARY KEY NOT NULL REFERENCES entities (id) ON DELETE CASCADE,
    organization_id text NOT NULL,
    token           text NOT NULL UNIQUE,
    senders         text NOT NULL,
    only_senders    boolean NOT NULL,
    updated_at      timestamp NOT NULL
);

-- +goose Down
DROP TABLE email_intakes;
ALTER TABLE documents DROP COLUMN email;
