-- +goose Up
-- A message that several entities receive, or that is sent again, has one answer. Answers without a Message-ID are of an
-- earlier release.
DELETE FROM email_answers WHERE message_id <> '' AND EXISTS (
    SELECT 1 FROM email_answers AS other
    WHERE other.recipient = email_answers.recipient AND other.message_id = email_answers.message_id
      AND other.document_id < email_answers.document_id
);
CREATE UNIQUE INDEX email_answers_message ON email_answers (recipient, message_id) WHERE message_id <> '';

-- +goose Down
DROP INDEX email_answers_message;
