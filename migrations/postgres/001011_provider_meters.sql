-- +goose Up
-- What was sent to each tenant of a provider, over all processes.
CREATE TABLE provider_meters (
    name       text PRIMARY KEY,
    body       jsonb NOT NULL,
    updated_at timestamptz NOT NULL
);

CREATE INDEX provider_meters_updated_at ON provider_meters (updated_at);

-- +goose Down
DROP TABLE provider_meters;
