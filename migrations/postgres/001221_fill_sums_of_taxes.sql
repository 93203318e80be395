-- +goose Up
-- Adds the counted invoices to the groups of 'supplier_tax' and 'tax_account'. No job counts meanwhile, but
-- invoices change.
SELECT pg_advisory_xact_lock(hashtextextended('docledger sums', 0));
-- The texts of a group have a limited number of characters together. Invoices with more remain uncounted.
CREATE TEMPORARY TABLE invoices_long ON COMMIT DROP AS SELECT i.organization_id, i.id FROM invoice_taxes AS x JOIN invoices AS i ON i.id = x.invoice_id
    WHERE length(x.category) + length(coalesce(x.rate, '')) + length(i.seller_tax_id) + length(i.seller_name) > 400
        AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = i.organization_id AND u.invoice_id = i.id)
    UNION SELECT i.organization_id, i.id FROM invoice_lines AS l JOIN invoices AS i ON i.id = l.invoice_id
    WHERE length(l.account_id) + length(l.tax_category) + length(coalesce(l.tax_rate, '')) > 400
        AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = i.organization_id AND u.invoice_id = i.id);
SELECT FROM invoices WHERE id IN (SELECT id FROM invoices_long) ORDER BY id FOR NO KEY UPDATE;
DELETE FROM invoices_long AS o WHERE EXISTS (SELECT FROM invoices_uncounted AS u WHERE u.organization_id = o.organization_id AND u.invoice_id = o.id)
    OR NOT EXISTS (SELECT FROM invoices WHERE id = o.id);
INSERT INTO invoice_sum_changes (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT p.organization_id, p.part, p.entity_id, p.currency, p.status, p.type, p.month, p.key_a, p.key_b, -p.invoices, -p.net, -p.nets, -p.tax, -p.taxes, -p.gross, -p.grosses, -p.due, -p.dues
    FROM invoices_long AS o CROSS JOIN LATERAL (SELECT * FROM invoice_sum_parts AS p WHERE p.invoice_id = o.id) AS p;
INSERT INTO invoices_uncounted (organization_id, invoice_id) SELECT organization_id, id FROM invoices_long;
DELETE FROM invoice_sums WHERE part IN ('supplier_tax', 'tax_account');
-- One statement sees the changes and the invoices of one time. Changes until then are of invoices that it does not add,
-- and later changes are of invoices that it adds.
WITH earlier AS (DELETE FROM invoice_sum_changes WHERE part IN ('supplier_tax', 'tax_account'))
INSERT INTO invoice_sums (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sum_parts AS p
    WHERE part IN ('supplier_tax', 'tax_account') AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = p.organization_id AND u.invoice_id = p.invoice_id)
    GROUP BY organization_id, part, entity_id, currency, status, type, month, key_a, key_b;

-- +goose Down
SELECT 1; -- the migration before removes the groups
