-- +goose Up
-- That an address was answered, also if the document of its message is deleted. The values are hashes, so that no row
-- has an address. The marks of an organization are deleted with it.
CREATE TABLE email_answer_marks (
    answer_hash     text PRIMARY KEY NOT NULL, -- of the recipient and the Message-ID
    organization_id uuid NOT NULL,
    recipient_hash  text NOT NULL,
    domain_hash     text NOT NULL, -- of the entity and the domain of the recipient
    created_at      timestamptz NOT NULL
);
CREATE INDEX email_answer_marks_recipient ON email_answer_marks (recipient_hash, created_at);
CREATE INDEX email_answer_marks_domain ON email_answer_marks (domain_hash, created_at);

-- +goose Down
DROP TABLE email_answer_marks;
