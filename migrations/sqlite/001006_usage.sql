-- +goose Up
CREATE TABLE usage_counters (
    organization_id text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    counter         text NOT NULL,
    period          text NOT NULL,
    used            integer NOT NULL CHECK (used >= 0),
    PRIMARY KEY (organization_id, counter, period)
);

CREATE TABLE idempotency_keys (
    organization_id text NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    credential      text NOT NULL,
    operation       text NOT NULL,
    key             text NOT NULL,
    fingerprint     text NOT NULL,
    owner           text NOT NULL,
    reserved        text NOT NULL,
    body            blob,
    etag            text NOT NULL,
    started_at      timestamp NOT NULL,
    leased_until    timestamp NOT NULL,
    finished_at     timestamp,
    PRIMARY KEY (organization_id, credential, operation, key)
);

CREATE INDEX idempotency_keys_started_at ON idempotency_keys (started_at);

-- +goose Down
DROP TABLE idempotency_keys;
DROP TABLE usage_counters;
