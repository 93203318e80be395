-- +goose Up
-- Amounts that sums add up, in ten-thousandths, as those of migration 1004. An amount
-- with more decimals or digits has none.
-- +goose StatementBegin
CREATE FUNCTION fixed_amount(stated text) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN abs(stated::numeric) < 100000000000000 AND stated::numeric * 10000 = trunc(stated::numeric * 10000)
    THEN (stated::numeric * 10000)::bigint END $$;
-- +goose StatementEnd
ALTER TABLE invoices ADD COLUMN tax_fixed bigint;
UPDATE invoices SET tax_fixed = fixed_amount(tax_total) WHERE tax_total IS NOT NULL;
ALTER TABLE invoice_lines ADD COLUMN net_fixed bigint;
UPDATE invoice_lines SET net_fixed = fixed_amount(net_amount) WHERE net_amount IS NOT NULL;

CREATE TABLE invoice_taxes (
    invoice_id   uuid NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
    ordinal      bigint NOT NULL,
    category     text NOT NULL,
    rate         text,
    base_fixed   bigint,
    amount_fixed bigint,
    PRIMARY KEY (invoice_id, ordinal)
);
INSERT INTO invoice_taxes (invoice_id, ordinal, category, rate, base_fixed, amount_fixed)
    SELECT i.id, t.ordinal, coalesce(t.tax->>'category', ''), t.tax->>'rate', fixed_amount(t.tax->>'base'), fixed_amount(t.tax->>'amount')
    FROM invoices AS i, jsonb_array_elements(CASE jsonb_typeof(i.body->'taxes') WHEN 'array' THEN i.body->'taxes' ELSE '[]'::jsonb END)
        WITH ORDINALITY AS t (tax, ordinal);
DROP FUNCTION fixed_amount(text);

-- +goose Down
DROP TABLE invoice_taxes;
ALTER TABLE invoice_lines DROP COLUMN net_fixed;
ALTER TABLE invoices DROP COLUMN tax_fixed;
