-- +goose Up
-- Sums with a filter by due date or time of creation. Two more parts of invoice_sums, 'due_month' and 'created_month', have
-- the month of these dates, in UTC, instead of that of the issue date. An invoice without a due date, or with the first
-- day of the calendar, which the filters exclude, has the month ''. The next migration adds the invoices that are counted now.
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
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_tax', '00000000-0000-0000-0000-000000000000', i.currency, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, ''), '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed), 0), count(x.base_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.amount_fixed), 0), count(x.amount_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed + x.amount_fixed), 0), count(x.base_fixed + x.amount_fixed), 0, 0
FROM invoices AS i JOIN invoice_taxes AS x ON x.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'tax_account', '00000000-0000-0000-0000-000000000000', i.currency, '', l.account_id, '', l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, ''), 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id, l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'due_month', i.entity_id, i.currency, i.status, i.type,
    CASE WHEN i.due_date > '0001-01-01' THEN substr(i.due_date, 1, 7) ELSE '' END, '', '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), i.net_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), i.tax_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), i.gross_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), i.due_fixed IS NOT NULL
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'created_month', i.entity_id, i.currency, i.status, i.type,
    substr(i.created_at, 1, 7), '', '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), i.net_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), i.tax_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), i.gross_fixed IS NOT NULL,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), i.due_fixed IS NOT NULL
FROM invoices AS i WHERE i.status <> 'REJECTED';
-- Each change of the application increases the version as well.
DROP TRIGGER invoice_sums_update;
-- +goose StatementBegin
CREATE TRIGGER invoice_sums_update BEFORE UPDATE ON invoices
WHEN (old.version <> new.version OR old.entity_id <> new.entity_id OR old.status <> new.status OR old.type <> new.type OR old.currency <> new.currency
    OR old.issue_date IS NOT new.issue_date OR old.due_date IS NOT new.due_date OR old.created_at <> new.created_at OR old.seller_tax_id <> new.seller_tax_id OR old.seller_name <> new.seller_name
    OR old.net_fixed IS NOT new.net_fixed OR old.tax_fixed IS NOT new.tax_fixed OR old.gross_fixed IS NOT new.gross_fixed OR old.due_fixed IS NOT new.due_fixed)
    AND NOT EXISTS (SELECT 1 FROM invoices_uncounted WHERE organization_id = old.organization_id AND invoice_id = old.id) BEGIN
    INSERT INTO invoice_sum_changes (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, -invoices, -net, -nets, -tax, -taxes, -gross, -grosses, -due, -dues
        FROM invoice_sum_parts WHERE invoice_id = old.id;
    INSERT INTO invoices_uncounted (organization_id, invoice_id) VALUES (old.organization_id, old.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_status_insert AFTER INSERT ON invoices WHEN new.status IN ('SYNCED', 'SYNC_FAILED') BEGIN
    INSERT INTO invoice_sync_differences (organization_id, invoice_id) VALUES (new.organization_id, new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_status_update AFTER UPDATE ON invoices
WHEN old.status <> new.status AND (old.status IN ('SYNCED', 'SYNC_FAILED') OR new.status IN ('SYNCED', 'SYNC_FAILED')) BEGIN
    DELETE FROM invoice_sync_differences WHERE organization_id = new.organization_id AND invoice_id = new.id;
    INSERT INTO invoice_sync_differences (organization_id, invoice_id) SELECT new.organization_id, new.id
        WHERE CASE new.status WHEN 'SYNCED' THEN 'DONE' WHEN 'SYNC_FAILED' THEN 'FAILED' ELSE '' END
            <> coalesce((SELECT state FROM invoice_syncs WHERE invoice_id = new.id AND state IN ('DONE', 'FAILED')), '');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER invoice_status_delete AFTER DELETE ON invoices BEGIN
    DELETE FROM invoice_sync_differences WHERE organization_id = old.organization_id AND invoice_id = old.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER invoice_status_delete;
DROP TRIGGER invoice_status_update;
DROP TRIGGER invoice_status_insert;
DROP TRIGGER invoice_sums_update;
-- +goose StatementBegin
CREATE TRIGGER invoice_sums_update BEFORE UPDATE ON invoices
WHEN (old.version <> new.version OR old.entity_id <> new.entity_id OR old.status <> new.status OR old.type <> new.type OR old.currency <> new.currency
    OR old.issue_date IS NOT new.issue_date OR old.seller_tax_id <> new.seller_tax_id OR old.seller_name <> new.seller_name
    OR old.net_fixed IS NOT new.net_fixed OR old.tax_fixed IS NOT new.tax_fixed OR old.gross_fixed IS NOT new.gross_fixed OR old.due_fixed IS NOT new.due_fixed)
    AND NOT EXISTS (SELECT 1 FROM invoices_uncounted WHERE organization_id = old.organization_id AND invoice_id = old.id) BEGIN
    INSERT INTO invoice_sum_changes (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, -invoices, -net, -nets, -tax, -taxes, -gross, -grosses, -due, -dues
        FROM invoice_sum_parts WHERE invoice_id = old.id;
    INSERT INTO invoices_uncounted (organization_id, invoice_id) VALUES (old.organization_id, old.id);
END;
-- +goose StatementEnd
DELETE FROM invoice_sum_changes WHERE part IN ('due_month', 'created_month');
DELETE FROM invoice_sums WHERE part IN ('due_month', 'created_month');
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
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_tax', '00000000-0000-0000-0000-000000000000', i.currency, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, ''), '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed), 0), count(x.base_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.amount_fixed), 0), count(x.amount_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed + x.amount_fixed), 0), count(x.base_fixed + x.amount_fixed), 0, 0
FROM invoices AS i JOIN invoice_taxes AS x ON x.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'tax_account', '00000000-0000-0000-0000-000000000000', i.currency, '', l.account_id, '', l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, ''), 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id, l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, '');
