-- +goose Up
-- The rules whose failed WARNING checks do not keep SYSTEM from approving.
ALTER TABLE settings ADD COLUMN auto_approve_ignore text NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE settings DROP COLUMN auto_approve_ignore;
