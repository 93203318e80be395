-- +goose Up
-- Amounts that sums add up, in ten-thousandths, as those of migration 1004. An amount
-- with more decimals or digits has none. The digits are joined, so that no amount is
-- rounded.
ALTER TABLE invoices ADD COLUMN tax_fixed integer;
UPDATE invoices SET tax_fixed = CASE WHEN length(rtrim(CASE instr(tax_total, '.') WHEN 0 THEN '' ELSE substr(tax_total, instr(tax_total, '.') + 1) END, '0')) <= 4 AND length(ltrim(CASE instr(tax_total, '.') WHEN 0 THEN tax_total ELSE substr(tax_total, 1, instr(tax_total, '.') - 1) END, '-0')) <= 14
    THEN CAST(CASE instr(tax_total, '.') WHEN 0 THEN tax_total ELSE substr(tax_total, 1, instr(tax_total, '.') - 1) END || substr(rtrim(CASE instr(tax_total, '.') WHEN 0 THEN '' ELSE substr(tax_total, instr(tax_total, '.') + 1) END, '0') || '0000', 1, 4) AS integer) END WHERE tax_total IS NOT NULL;
ALTER TABLE invoice_lines ADD COLUMN net_fixed integer;
UPDATE invoice_lines SET net_fixed = CASE WHEN length(rtrim(CASE instr(net_amount, '.') WHEN 0 THEN '' ELSE substr(net_amount, instr(net_amount, '.') + 1) END, '0')) <= 4 AND length(ltrim(CASE instr(net_amount, '.') WHEN 0 THEN net_amount ELSE substr(net_amount, 1, instr(net_amount, '.') - 1) END, '-0')) <= 14
    THEN CAST(CASE instr(net_amount, '.') WHEN 0 THEN net_amount ELSE substr(net_amount, 1, instr(net_amount, '.') - 1) END || substr(rtrim(CASE instr(net_amount, '.') WHEN 0 THEN '' ELSE substr(net_amount, instr(net_amount, '.') + 1) END, '0') || '0000', 1, 4) AS integer) END WHERE net_amount IS NOT NULL;

CREATE TABLE invoice_taxes (
    invoice_id   text NOT NULL REFERENCES invoices (id) ON DELETE CASCADE,
    ordinal      integer NOT NULL,
    category     text NOT NULL,
    rate         text,
    base_fixed   integer,
    amount_fixed integer,
    PRIMARY KEY (invoice_id, ordinal)
);
INSERT INTO invoice_taxes (invoice_id, ordinal, category, rate, base_fixed, amount_fixed)
    SELECT id, ordinal, category, rate,
    CASE WHEN length(rtrim(CASE instr(base, '.') WHEN 0 THEN '' ELSE substr(base, instr(base, '.') + 1) END, '0')) <= 4 AND length(ltrim(CASE instr(base, '.') WHEN 0 THEN base ELSE substr(base, 1, instr(base, '.') - 1) END, '-0')) <= 14
    THEN CAST(CASE instr(base, '.') WHEN 0 THEN base ELSE substr(base, 1, instr(base, '.') - 1) END || substr(rtrim(CASE instr(base, '.') WHEN 0 THEN '' ELSE substr(base, instr(base, '.') + 1) END, '0') || '0000', 1, 4) AS integer) END,
    CASE WHEN length(rtrim(CASE instr(amount, '.') WHEN 0 THEN '' ELSE substr(amount, instr(amount, '.') + 1) END, '0')) <= 4 AND length(ltrim(CASE instr(amount, '.') WHEN 0 THEN amount ELSE substr(amount, 1, instr(amount, '.') - 1) END, '-0')) <= 14
    THEN CAST(CASE instr(amount, '.') WHEN 0 THEN amount ELSE substr(amount, 1, instr(amount, '.') - 1) END || substr(rtrim(CASE instr(amount, '.') WHEN 0 THEN '' ELSE substr(amount, instr(amount, '.') + 1) END, '0') || '0000', 1, 4) AS integer) END
    FROM (SELECT i.id, t.key + 1 AS ordinal, coalesce(t.value->>'category', '') AS category, t.value->>'rate' AS rate,
        t.value->>'base' AS base, t.value->>'amount' AS amount
        FROM invoices AS i, json_each(i.body, '$.taxes') AS t);

-- +goose Down
DROP TABLE invoice_taxes;
ALTER TABLE invoice_lines DROP COLUMN net_fixed;
ALTER TABLE invoices DROP COLUMN tax_fixed;
