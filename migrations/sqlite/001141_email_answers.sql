-- +goose Up
ALTER TABLE email_intakes ADD COLUMN answer_senders boolean NOT NULL DEFAULT false;

-- email_answers has at most one answer for each received message. document_id is the document of the message.
CREATE TABLE email_answers (
    document_id     text PRIMARY KEY NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    entity_id       text NOT NULL,
    organization_id text NOT NULL,
    recipient       text NOT NULL,
    subject         text NOT NULL,
    message_id      text NOT NULL,
    state           text NOT NULL,
    attempts        integer NOT NULL,
    next_attempt_at timestamp,
    failure         text NOT NULL,
    created_at      timestamp NOT NULL,
    updated_at      timestamp NOT NULL
);
CREATE INDEX email_answers_due ON email_answers (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX email_answers_recipient ON email_answers (recipient, created_at);

-- +goose Down
DROP TABLE email_answers;
ALTER TABLE email_intakes DROP COLUMN answer_senders;
