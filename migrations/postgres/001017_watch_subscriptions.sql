-- +goose Up
-- Whether the poll is to be made again at once: somebody said that something
-- changed while it was on its way.
ALTER TABLE watches ADD COLUMN woken boolean NOT NULL DEFAULT FALSE;

-- Where stores call when something changes. proof is the digest of the secret
-- that each call brings; remote_id is empty while the store was asked and has
-- not answered.
CREATE TABLE watch_subscriptions (
    id              uuid PRIMARY KEY,
    integration_id  uuid NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
    organization_id uuid NOT NULL,
    proof           bytea NOT NULL,
    source          text NOT NULL,
    sub_source      text NOT NULL,
    remote_id       text NOT NULL,
    resource        text NOT NULL,
    expires_at      timestamptz,
    created_at      timestamptz NOT NULL
);

CREATE INDEX watch_subscriptions_integration ON watch_subscriptions (integration_id);

-- +goose Down
DROP TABLE watch_subscriptions;
ALTER TABLE watches DROP COLUMN woken;
