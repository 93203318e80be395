-- +goose Up
-- Adds the counted invoices to the groups of 'supplier_tax' and 'tax_account'.
-- The texts of a group have a limited number of characters together. Invoices with more remain uncounted.
CREATE TABLE invoices_long (organization_id text, id text);
-- +goose StatementBegin
CREATE TRIGGER invoices_long_insert AFTER INSERT ON invoices_long BEGIN
    INSERT INTO invoice_sum_changes (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, -invoices, -net, -nets, -tax, -taxes, -gross, -grosses, -due, -dues FROM invoice_sum_parts WHERE invoice_id = new.id;
    INSERT INTO invoices_uncounted (organization_id, invoice_id) VALUES (new.organization_id, new.id);
END;
-- +goose StatementEnd
INSERT INTO invoices_long (organization_id, id) SELECT i.organization_id, i.id FROM invoice_taxes AS x JOIN invoices AS i ON i.id = x.invoice_id
    WHERE length(x.category) + length(coalesce(x.rate, '')) + length(i.seller_tax_id) + length(i.seller_name) > 400
        AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = i.organization_id AND u.invoice_id = i.id)
    UNION SELECT i.organization_id, i.id FROM invoice_lines AS l JOIN invoices AS i ON i.id = l.invoice_id
    WHERE length(l.account_id) + length(l.tax_category) + length(coalesce(l.tax_rate, '')) > 400
        AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = i.organization_id AND u.invoice_id = i.id);
DROP TABLE invoices_long;
DELETE FROM invoice_sum_changes WHERE part IN ('supplier_tax', 'tax_account');
DELETE FROM invoice_sums WHERE part IN ('supplier_tax', 'tax_account');
INSERT INTO invoice_sums (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sum_parts AS p
    WHERE part IN ('supplier_tax', 'tax_account') AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = p.organization_id AND u.invoice_id = p.invoice_id)
    GROUP BY organization_id, part, entity_id, currency, status, type, month, key_a, key_b;

-- +goose Down
SELECT 1; -- the migration before removes the groups
