-- +goose Up
-- Invoices of which the check not_a_duplicate is due again, because another invoice
-- changed. The sweep evaluates them; see usecase/duplicates.
CREATE TABLE duplicate_rechecks (
    invoice_id      text PRIMARY KEY NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
    organization_id text NOT NULL,
    assistant       boolean NOT NULL,
    created_at      timestamp NOT NULL
);
CREATE INDEX duplicate_rechecks_organization ON duplicate_rechecks (organization_id, created_at);

-- +goose Down
DROP TABLE duplicate_rechecks;
