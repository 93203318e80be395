-- +goose Up
-- What the search for duplicates compares, and by what it finds candidates. The
-- service adds the rows of invoices of earlier releases.
CREATE TABLE invoice_duplicate_keys (
    invoice_id      uuid PRIMARY KEY REFERENCES invoices (id) ON DELETE CASCADE,
    organization_id uuid NOT NULL,
    entity_id       uuid NOT NULL,
    bytes           text NOT NULL,
    type            text NOT NULL,
    number          text NOT NULL,
    number_key      text NOT NULL,
    issue_date      date,
    gross           text,
    gross_fixed     bigint,
    currency        text NOT NULL,
    tax_id          text NOT NULL,
    tax_key         text NOT NULL,
    country         text NOT NULL,
    iban            text NOT NULL,
    name            text NOT NULL,
    name_key        text NOT NULL,
    structured      boolean NOT NULL,
    inexact         boolean NOT NULL
);
CREATE INDEX invoice_duplicate_keys_bytes ON invoice_duplicate_keys (organization_id, bytes);
CREATE INDEX invoice_duplicate_keys_number ON invoice_duplicate_keys (organization_id, number_key);
CREATE INDEX invoice_duplicate_keys_amount ON invoice_duplicate_keys (organization_id, issue_date, gross_fixed);

-- Pairs of invoices that may be the same, each once: invoice_id is the smaller id.
CREATE TABLE invoice_duplicates (
    invoice_id      uuid NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
    other_id        uuid NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
    organization_id uuid NOT NULL,
    rule            text NOT NULL,
    found_at        timestamptz NOT NULL,
    dismissed_by    uuid,
    dismissed_at    timestamptz,
    reason          text NOT NULL,
    PRIMARY KEY (invoice_id, other_id)
);
CREATE INDEX invoice_duplicates_other ON invoice_duplicates (other_id);

-- +goose Down
DROP TABLE invoice_duplicates;
DROP TABLE invoice_duplicate_keys;
