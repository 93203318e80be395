-- +goose Up
-- The profiles of electronic invoices whose effect differs from einvoice_rules.
ALTER TABLE settings ADD COLUMN einvoice_rules_by_profile text NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE settings DROP COLUMN einvoice_rules_by_profile;
