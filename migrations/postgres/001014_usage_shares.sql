-- +goose Up
-- What each entity has of its organization's counter. Its rows outlive the
-- entity, since what was used stays used.
CREATE TABLE usage_shares (
    organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    counter         text NOT NULL,
    period          text NOT NULL,
    entity_id       uuid NOT NULL,
    used            bigint NOT NULL CHECK (used >= 0),
    PRIMARY KEY (organization_id, counter, period, entity_id)
);

INSERT INTO usage_shares (organization_id, counter, period, entity_id, used)
SELECT organization_id, 'invoices', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM'), entity_id, count(*)
FROM invoices GROUP BY 1, 3, 4;

-- +goose Down
DROP TABLE usage_shares;
