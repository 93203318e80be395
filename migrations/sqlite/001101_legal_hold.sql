-- +goose Up
-- legal_hold prevents the deletion of the entity's documents.
ALTER TABLE entities ADD COLUMN legal_hold boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE entities DROP COLUMN legal_hold;
