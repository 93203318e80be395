-- +goose Up
ALTER TABLE organizations ADD COLUMN trial_expiry_date date;
ALTER TABLE organizations ADD COLUMN trial_max_entities bigint;
ALTER TABLE organizations ADD COLUMN trial_max_invoices_per_month bigint;

CREATE TABLE known_plans (
    organization_id        uuid PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
    name                   text NOT NULL,
    status                 text NOT NULL,
    writable               boolean NOT NULL,
    cycle_end              timestamptz,
    max_entities           bigint,
    max_invoices_per_month bigint,
    payment_url            text NOT NULL,
    read_at                timestamptz NOT NULL
);

CREATE TABLE charges (
    subscription_id text NOT NULL,
    month           text NOT NULL,
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    customer_id     text NOT NULL,
    price_id        text NOT NULL,
    event_id        text NOT NULL,
    event_at        timestamptz NOT NULL,
    state           text NOT NULL,
    invoice_id      text NOT NULL,
    outcome         text NOT NULL,
    reason          text NOT NULL,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    PRIMARY KEY (subscription_id, month)
);

CREATE INDEX charges_organization_id ON charges (organization_id, created_at);

CREATE TABLE bookmarks (
    name text PRIMARY KEY,
    at   timestamptz NOT NULL
);

-- +goose Down
DROP TABLE bookmarks;
DROP TABLE charges;
DROP TABLE known_plans;
ALTER TABLE organizations DROP COLUMN trial_max_invoices_per_month;
ALTER TABLE organizations DROP COLUMN trial_max_entities;
ALTER TABLE organizations DROP COLUMN trial_expiry_date;
