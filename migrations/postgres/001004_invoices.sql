-- +goose Up
CREATE TABLE invoices (
    id              uuid PRIMARY KEY,
    document_id     uuid NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    entity_id       uuid NOT NULL,
    organization_id uuid NOT NULL,
    status          text NOT NULL,
    type            text NOT NULL,
    number          text NOT NULL,
    issue_date      date,
    due_date        date,
    currency        text NOT NULL,
    seller_name     text NOT NULL,
    seller_tax_id   text NOT NULL,
    buyer_name      text NOT NULL,
    buyer_tax_id    text NOT NULL,
    net_total       text,
    tax_total       text,
    gross_total     text,
    amount_due      text,
    failed_blocking bigint NOT NULL,
    failed_warning  bigint NOT NULL,
    lines_total     bigint NOT NULL,
    -- Exact searches compare these, in ten-thousandths; null where there is no
    -- such amount or it does not fit.
    net_fixed       bigint,
    gross_fixed     bigint,
    due_fixed       bigint,
    -- What searches compare: folded number, seller and purchase order; and the
    -- folded file name, which no correction changes.
    search          text NOT NULL,
    search_file     text NOT NULL,
    body            jsonb NOT NULL,
    version         bigint NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    FOREIGN KEY (entity_id, organization_id) REFERENCES entities (id, organization_id) ON DELETE CASCADE
);

-- A document gives one invoice, however often its extraction is begun.
CREATE UNIQUE INDEX invoices_document_id ON invoices (document_id);

CREATE INDEX invoices_newest ON invoices (organization_id, id DESC);
CREATE INDEX invoices_newest_of_entity ON invoices (entity_id, id DESC);
CREATE INDEX invoices_newest_by_status ON invoices (organization_id, status, id DESC);
CREATE INDEX invoices_newest_of_entity_by_status ON invoices (entity_id, status, id DESC);

CREATE TABLE invoice_lines (
    id             uuid PRIMARY KEY,
    invoice_id     uuid NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
    ordinal        bigint NOT NULL,
    position       bigint NOT NULL,
    description    text NOT NULL,
    quantity       text,
    unit           text NOT NULL,
    unit_price     text,
    price_base     text,
    net_amount     text,
    tax_rate       text,
    tax_category   text NOT NULL,
    account_id     text NOT NULL,
    account_source text NOT NULL,
    tax_rate_id    text NOT NULL,
    tax_source     text NOT NULL,
    evidence       jsonb,
    UNIQUE (invoice_id, ordinal)
);

-- +goose Down
DROP TABLE invoice_lines;
DROP TABLE invoices;
