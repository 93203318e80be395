-- +goose Up
-- How far the booking of an invoice has got, with the bill that was sent to the
-- ledger as long as its fate is not certain.
CREATE TABLE invoice_syncs (
    invoice_id      text PRIMARY KEY NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
    organization_id text NOT NULL,
    entity_id       text NOT NULL,
    integration_id  text NOT NULL,
    state           text NOT NULL,
    next_attempt_at timestamp,
    remote_id       text NOT NULL,
    body            text NOT NULL,
    updated_at      timestamp NOT NULL
);

-- The sweep looks for bookings that are to go on.
CREATE INDEX invoice_syncs_due ON invoice_syncs (next_attempt_at) WHERE state IN ('QUEUED', 'RUNNING', 'CHECKING');
CREATE INDEX invoice_syncs_of_integration ON invoice_syncs (integration_id) WHERE remote_id <> '';

-- What was chosen for a supplier when an invoice of it was booked last. The
-- supplier's key is hashed, which makes it short.
CREATE TABLE supplier_codings (
    entity_id       text NOT NULL,
    integration_id  text NOT NULL,
    supplier_hash   text NOT NULL,
    organization_id text NOT NULL,
    contact_id      text NOT NULL,
    account_id      text NOT NULL,
    tax_rates       text NOT NULL,
    updated_at      timestamp NOT NULL,
    PRIMARY KEY (entity_id, integration_id, supplier_hash),
    FOREIGN KEY (entity_id, organization_id) REFERENCES entities (id, organization_id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE supplier_codings;
DROP TABLE invoice_syncs;
