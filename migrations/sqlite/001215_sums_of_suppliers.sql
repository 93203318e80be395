-- +goose Up
-- Sums by supplier have groups with status and type, and those by tax rate with month. Three parts of
-- invoice_sums are of whole organizations: supplier and month, account and month, and supplier and account.
-- Their entity is zero, they have no totals, and the type of the last one is the account.
-- A group with both a seller and an account has a limited number of characters. Invoices with more remain uncounted.
CREATE TABLE invoices_long (organization_id text, id text);
-- +goose StatementBegin
CREATE TRIGGER invoices_long_insert AFTER INSERT ON invoices_long BEGIN
    INSERT INTO invoice_sum_changes (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, -invoices, -net, -nets, -tax, -taxes, -gross, -grosses, -due, -dues FROM invoice_sum_parts WHERE invoice_id = new.id;
    INSERT INTO invoices_uncounted (organization_id, invoice_id) VALUES (new.organization_id, new.id);
END;
-- +goose StatementEnd
INSERT INTO invoices_long (organization_id, id) SELECT DISTINCT i.organization_id, i.id FROM invoice_lines AS l JOIN invoices AS i ON i.id = l.invoice_id
    WHERE length(l.account_id) + length(i.seller_tax_id) + length(i.seller_name) > 400
        AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = i.organization_id AND u.invoice_id = i.id);
DROP TABLE invoices_long;
DROP TRIGGER invoice_sum_totals_insert;
DROP TRIGGER invoice_sum_totals_update;
DROP TRIGGER invoice_sum_totals_delete;
DROP VIEW invoice_sum_parts;
CREATE VIEW invoice_sum_parts AS
SELECT i.id AS invoice_id, i.organization_id, 'invoice' AS part, i.entity_id, i.currency, i.status, i.type,
    coalesce(substr(i.issue_date, 1, 7), '') AS month, '' AS key_a, '' AS key_b, 1 AS invoices,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0) AS net, i.net_fixed IS NOT NULL AS nets,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0) AS tax, i.tax_fixed IS NOT NULL AS taxes,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0) AS gross, i.gross_fixed IS NOT NULL AS grosses,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0) AS due, i.due_fixed IS NOT NULL AS dues
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'supplier', i.entity_id, i.currency, i.status, i.type, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), i.net_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), i.tax_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), i.gross_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), i.due_fixed IS NOT NULL
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'tax', i.entity_id, i.currency, i.status, i.type, coalesce(substr(i.issue_date, 1, 7), ''), x.category,
    coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, ''), 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed), 0), count(x.base_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.amount_fixed), 0), count(x.amount_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed + x.amount_fixed), 0), count(x.base_fixed + x.amount_fixed), 0, 0
FROM invoices AS i JOIN invoice_taxes AS x ON x.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'account', i.entity_id, i.currency, i.status, i.type, '', l.account_id, '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_month', '00000000-0000-0000-0000-000000000000', i.currency, '', '', coalesce(substr(i.issue_date, 1, 7), ''), i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), i.net_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), i.tax_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), i.gross_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), i.due_fixed IS NOT NULL
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'account_month', '00000000-0000-0000-0000-000000000000', i.currency, '', '', coalesce(substr(i.issue_date, 1, 7), ''), l.account_id, '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_account', '00000000-0000-0000-0000-000000000000', i.currency, '', l.account_id, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id;
DELETE FROM invoice_sum_changes WHERE part IN ('supplier', 'tax');
DELETE FROM invoice_sums WHERE part IN ('supplier', 'tax');
DELETE FROM invoice_sum_totals WHERE part IN ('supplier', 'tax');
INSERT INTO invoice_sums (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sum_parts AS p
    WHERE part IN ('supplier', 'tax', 'supplier_month', 'account_month', 'supplier_account') AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = p.organization_id AND u.invoice_id = p.invoice_id)
    GROUP BY organization_id, part, entity_id, currency, status, type, month, key_a, key_b;
INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT organization_id, part, '00000000-0000-0000-0000-000000000000', currency, status, type, month, key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sums WHERE part IN ('supplier', 'tax') GROUP BY organization_id, part, currency, status, type, month, key_a, key_b;
-- +goose StatementBegin
CREATE TRIGGER invoice_sum_totals_insert AFTER INSERT ON invoice_sums WHEN new.entity_id <> '00000000-0000-0000-0000-000000000000' BEGIN
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT new.organization_id, new.part, '00000000-0000-0000-0000-000000000000', new.currency, new.status, new.type, new.month, new.key_a, new.key_b, new.invoices, new.net, new.nets, new.tax, new.taxes, new.gross, new.grosses, new.due, new.dues WHERE true
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT new.organization_id, 'entity', new.entity_id, new.currency, new.status, new.type, '', new.key_a, new.key_b, new.invoices, new.net, new.nets, new.tax, new.taxes, new.gross, new.grosses, new.due, new.dues WHERE new.part = 'invoice'
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_sum_totals_update AFTER UPDATE ON invoice_sums WHEN new.entity_id <> '00000000-0000-0000-0000-000000000000' BEGIN
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT new.organization_id, new.part, '00000000-0000-0000-0000-000000000000', new.currency, new.status, new.type, new.month, new.key_a, new.key_b, new.invoices - old.invoices, new.net - old.net, new.nets - old.nets, new.tax - old.tax, new.taxes - old.taxes, new.gross - old.gross, new.grosses - old.grosses, new.due - old.due, new.dues - old.dues WHERE true
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT new.organization_id, 'entity', new.entity_id, new.currency, new.status, new.type, '', new.key_a, new.key_b, new.invoices - old.invoices, new.net - old.net, new.nets - old.nets, new.tax - old.tax, new.taxes - old.taxes, new.gross - old.gross, new.grosses - old.grosses, new.due - old.due, new.dues - old.dues WHERE new.part = 'invoice'
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_sum_totals_delete AFTER DELETE ON invoice_sums WHEN old.entity_id <> '00000000-0000-0000-0000-000000000000' BEGIN
    UPDATE invoice_sum_totals SET invoices = invoices - old.invoices, net = net - old.net, nets = nets - old.nets, tax = tax - old.tax, taxes = taxes - old.taxes, gross = gross - old.gross, grosses = grosses - old.grosses, due = due - old.due, dues = dues - old.dues
        WHERE organization_id = old.organization_id AND part = old.part AND entity_id = '00000000-0000-0000-0000-000000000000' AND currency = old.currency
            AND status = old.status AND type = old.type AND month = old.month AND key_a = old.key_a AND key_b = old.key_b;
    DELETE FROM invoice_sum_totals WHERE invoices = 0 AND organization_id = old.organization_id AND part = old.part AND entity_id = '00000000-0000-0000-0000-000000000000' AND currency = old.currency
            AND status = old.status AND type = old.type AND month = old.month AND key_a = old.key_a AND key_b = old.key_b;
    UPDATE invoice_sum_totals SET invoices = invoices - old.invoices, net = net - old.net, nets = nets - old.nets, tax = tax - old.tax, taxes = taxes - old.taxes, gross = gross - old.gross, grosses = grosses - old.grosses, due = due - old.due, dues = dues - old.dues
        WHERE old.part = 'invoice' AND organization_id = old.organization_id AND part = 'entity' AND entity_id = old.entity_id AND currency = old.currency
            AND status = old.status AND type = old.type AND month = '' AND key_a = old.key_a AND key_b = old.key_b;
    DELETE FROM invoice_sum_totals WHERE invoices = 0 AND old.part = 'invoice' AND organization_id = old.organization_id AND part = 'entity' AND entity_id = old.entity_id AND currency = old.currency
            AND status = old.status AND type = old.type AND month = '' AND key_a = old.key_a AND key_b = old.key_b;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER invoice_sum_totals_insert;
DROP TRIGGER invoice_sum_totals_update;
DROP TRIGGER invoice_sum_totals_delete;
DELETE FROM invoice_sum_changes WHERE part IN ('supplier', 'tax', 'supplier_month', 'account_month', 'supplier_account');
DELETE FROM invoice_sums WHERE part IN ('supplier', 'tax', 'supplier_month', 'account_month', 'supplier_account');
DELETE FROM invoice_sum_totals WHERE part IN ('supplier', 'tax', 'supplier_month', 'account_month', 'supplier_account');
DROP VIEW invoice_sum_parts;
CREATE VIEW invoice_sum_parts AS
SELECT i.id AS invoice_id, i.organization_id, 'invoice' AS part, i.entity_id, i.currency, i.status, i.type,
    coalesce(substr(i.issue_date, 1, 7), '') AS month, '' AS key_a, '' AS key_b, 1 AS invoices,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0) AS net, i.net_fixed IS NOT NULL AS nets,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0) AS tax, i.tax_fixed IS NOT NULL AS taxes,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0) AS gross, i.gross_fixed IS NOT NULL AS grosses,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0) AS due, i.due_fixed IS NOT NULL AS dues
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'supplier', i.entity_id, i.currency, '', '', '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), i.net_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), i.tax_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), i.gross_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), i.due_fixed IS NOT NULL
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'tax', i.entity_id, i.currency, i.status, i.type, '', x.category,
    coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, ''), 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed), 0), count(x.base_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.amount_fixed), 0), count(x.amount_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed + x.amount_fixed), 0), count(x.base_fixed + x.amount_fixed), 0, 0
FROM invoices AS i JOIN invoice_taxes AS x ON x.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'account', i.entity_id, i.currency, i.status, i.type, '', l.account_id, '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id;
INSERT INTO invoice_sums (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sum_parts AS p
    WHERE part IN ('supplier', 'tax') AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = p.organization_id AND u.invoice_id = p.invoice_id)
    GROUP BY organization_id, part, entity_id, currency, status, type, month, key_a, key_b;
INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT organization_id, part, '00000000-0000-0000-0000-000000000000', currency, status, type, month, key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sums WHERE part IN ('supplier', 'tax') GROUP BY organization_id, part, currency, status, type, month, key_a, key_b;
-- +goose StatementBegin
CREATE TRIGGER invoice_sum_totals_insert AFTER INSERT ON invoice_sums BEGIN
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT new.organization_id, new.part, '00000000-0000-0000-0000-000000000000', new.currency, new.status, new.type, new.month, new.key_a, new.key_b, new.invoices, new.net, new.nets, new.tax, new.taxes, new.gross, new.grosses, new.due, new.dues WHERE true
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT new.organization_id, 'entity', new.entity_id, new.currency, new.status, new.type, '', new.key_a, new.key_b, new.invoices, new.net, new.nets, new.tax, new.taxes, new.gross, new.grosses, new.due, new.dues WHERE new.part = 'invoice'
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_sum_totals_update AFTER UPDATE ON invoice_sums BEGIN
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT new.organization_id, new.part, '00000000-0000-0000-0000-000000000000', new.currency, new.status, new.type, new.month, new.key_a, new.key_b, new.invoices - old.invoices, new.net - old.net, new.nets - old.nets, new.tax - old.tax, new.taxes - old.taxes, new.gross - old.gross, new.grosses - old.grosses, new.due - old.due, new.dues - old.dues WHERE true
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT new.organization_id, 'entity', new.entity_id, new.currency, new.status, new.type, '', new.key_a, new.key_b, new.invoices - old.invoices, new.net - old.net, new.nets - old.nets, new.tax - old.tax, new.taxes - old.taxes, new.gross - old.gross, new.grosses - old.grosses, new.due - old.due, new.dues - old.dues WHERE new.part = 'invoice'
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_sum_totals_delete AFTER DELETE ON invoice_sums BEGIN
    UPDATE invoice_sum_totals SET invoices = invoices - old.invoices, net = net - old.net, nets = nets - old.nets, tax = tax - old.tax, taxes = taxes - old.taxes, gross = gross - old.gross, grosses = grosses - old.grosses, due = due - old.due, dues = dues - old.dues
        WHERE organization_id = old.organization_id AND part = old.part AND entity_id = '00000000-0000-0000-0000-000000000000' AND currency = old.currency
            AND status = old.status AND type = old.type AND month = old.month AND key_a = old.key_a AND key_b = old.key_b;
    DELETE FROM invoice_sum_totals WHERE invoices = 0 AND organization_id = old.organization_id AND part = old.part AND entity_id = '00000000-0000-0000-0000-000000000000' AND currency = old.currency
            AND status = old.status AND type = old.type AND month = old.month AND key_a = old.key_a AND key_b = old.key_b;
    UPDATE invoice_sum_totals SET invoices = invoices - old.invoices, net = net - old.net, nets = nets - old.nets, tax = tax - old.tax, taxes = taxes - old.taxes, gross = gross - old.gross, grosses = grosses - old.grosses, due = due - old.due, dues = dues - old.dues
        WHERE old.part = 'invoice' AND organization_id = old.organization_id AND part = 'entity' AND entity_id = old.entity_id AND currency = old.currency
            AND status = old.status AND type = old.type AND month = '' AND key_a = old.key_a AND key_b = old.key_b;
    DELETE FROM invoice_sum_totals WHERE invoices = 0 AND old.part = 'invoice' AND organization_id = old.organization_id AND part = 'entity' AND entity_id = old.entity_id AND currency = old.currency
            AND status = old.status AND type = old.type AND month = '' AND key_a = old.key_a AND key_b = old.key_b;
END;
-- +goose StatementEnd
