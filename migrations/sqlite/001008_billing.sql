-- +goose Up
ALTER TABLE organizations ADD COLUMN trial_expiry_date date;
ALTER TABLE organizations ADD COLUMN trial_max_entities integer;
ALTER TABLE organizations ADD COLUMN trial_max_invoices_per_month integer;

CREATE TABLE known_plans (
    organization_id        text PRIMARY KEY NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    name                   text NOT NULL,
    status                 text NOT NULL,
    writable               boolean NOT NULL,
    cycle_end              timestamp,
    max_entities           integer,
    max_invoices_per_month integer,
    payment_url            text NOT NULL,
    read_at                timestamp NOT NULL
);

CREATE TABLE charges (
    subscription_id text NOT NULL,
    month           text NOT NULL,
    organization_id text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    customer_id     text NOT NULL,
    price_id        text NOT NULL,
    event_id        text NOT NULL,
    event_at        timestamp NOT NULL,
    state           text NOT NULL,
    invoice_id      text NOT NULL,
    outcome         text NOT NULL,
    reason          text NOT NULL,
    created_at      timestamp NOT NULL,
    updated_at      timestamp NOT NULL,
    PRIMARY KEY (subscription_id, month)
);

CREATE INDEX charges_organization_id ON charges (organization_id, created_at);

CREATE TABLE bookmarks (
    name text PRIMARY KEY NOT NULL,
    at   timestamp NOT NULL
);

-- +goose Down
DROP TABLE bookmarks;
DROP TABLE charges;
DROP TABLE known_plans;
ALTER TABLE organizations DROP COLUMN trial_max_invoices_per_month;
ALTER TABLE organizations DROP COLUMN trial_max_entities;
ALTER TABLE organizations DROP COLUMN trial_expiry_date;
