-- +goose Up
-- Sums with a filter by source. One more part of invoice_sums, 'source', has the groups of 'invoice' for each source. The
-- next migration adds the invoices that are counted now.
-- No job counts meanwhile. A change of an invoice waits before it reads the view or writes to
-- invoices_uncounted, so that it has no lock for which this migration waits.
SELECT pg_advisory_xact_lock(hashtextextended('docledger sums', 0));
LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE;
DELETE FROM invoice_sources AS s WHERE NOT EXISTS (SELECT 1 FROM invoices AS i WHERE i.id = s.invoice_id);
CREATE OR REPLACE VIEW invoice_sum_parts AS
SELECT i.id AS invoice_id, i.organization_id, 'invoice' AS part, i.entity_id, i.currency, i.status, i.type,
    coalesce(to_char(i.issue_date, 'YYYY-MM'), '') AS month, '' AS key_a, '' AS key_b, 1 AS invoices,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0) AS net, (i.net_fixed IS NOT NULL)::int AS nets,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0) AS tax, (i.tax_fixed IS NOT NULL)::int AS taxes,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0) AS gross, (i.gross_fixed IS NOT NULL)::int AS grosses,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0) AS due, (i.due_fixed IS NOT NULL)::int AS dues
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'supplier', i.entity_id, i.currency, i.status, i.type, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'tax', i.entity_id, i.currency, i.status, i.type, coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), x.category,
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
SELECT i.id, i.organization_id, 'supplier_month', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', '', coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'account_month', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', '', coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), l.account_id, '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_account', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', l.account_id, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_tax', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, ''), '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed), 0), count(x.base_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.amount_fixed), 0), count(x.amount_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed + x.amount_fixed), 0), count(x.base_fixed + x.amount_fixed), 0, 0
FROM invoices AS i JOIN invoice_taxes AS x ON x.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'tax_account', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', l.account_id, '', l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, ''), 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id, l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'due_month', i.entity_id, i.currency, i.status, i.type,
    CASE WHEN i.due_date > '0001-01-01' THEN to_char(i.due_date, 'YYYY-MM') ELSE '' END, '', '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'created_month', i.entity_id, i.currency, i.status, i.type,
    to_char(i.created_at AT TIME ZONE 'UTC', 'YYYY-MM'), '', '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'source', i.entity_id, i.currency, i.status, i.type,
    coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), s.source, '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i JOIN invoice_sources AS s ON s.organization_id = i.organization_id AND s.invoice_id = i.id WHERE i.status <> 'REJECTED';

-- +goose Down
-- No job counts meanwhile. A change of an invoice waits before it reads the view or writes to
-- invoices_uncounted, so that it has no lock for which this migration waits.
SELECT pg_advisory_xact_lock(hashtextextended('docledger sums', 0));
LOCK TABLE invoices IN ACCESS EXCLUSIVE MODE;
DELETE FROM invoice_sum_changes WHERE part = 'source';
DELETE FROM invoice_sums WHERE part = 'source';
CREATE OR REPLACE VIEW invoice_sum_parts AS
SELECT i.id AS invoice_id, i.organization_id, 'invoice' AS part, i.entity_id, i.currency, i.status, i.type,
    coalesce(to_char(i.issue_date, 'YYYY-MM'), '') AS month, '' AS key_a, '' AS key_b, 1 AS invoices,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0) AS net, (i.net_fixed IS NOT NULL)::int AS nets,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0) AS tax, (i.tax_fixed IS NOT NULL)::int AS taxes,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0) AS gross, (i.gross_fixed IS NOT NULL)::int AS grosses,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0) AS due, (i.due_fixed IS NOT NULL)::int AS dues
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'supplier', i.entity_id, i.currency, i.status, i.type, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'tax', i.entity_id, i.currency, i.status, i.type, coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), x.category,
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
SELECT i.id, i.organization_id, 'supplier_month', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', '', coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'account_month', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', '', coalesce(to_char(i.issue_date, 'YYYY-MM'), ''), l.account_id, '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_account', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', l.account_id, '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id
UNION ALL
SELECT i.id, i.organization_id, 'supplier_tax', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, ''), '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed), 0), count(x.base_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.amount_fixed), 0), count(x.amount_fixed),
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(x.base_fixed + x.amount_fixed), 0), count(x.base_fixed + x.amount_fixed), 0, 0
FROM invoices AS i JOIN invoice_taxes AS x ON x.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, x.category, coalesce(CASE WHEN x.rate LIKE '%.%' THEN rtrim(rtrim(x.rate, '0'), '.') ELSE x.rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'tax_account', '00000000-0000-0000-0000-000000000000'::uuid, i.currency, '', l.account_id, '', l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, ''), 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(sum(l.net_fixed), 0), count(l.net_fixed), 0, 0, 0, 0, 0, 0
FROM invoices AS i JOIN invoice_lines AS l ON l.invoice_id = i.id WHERE i.status <> 'REJECTED'
GROUP BY i.id, l.account_id, l.tax_category, coalesce(CASE WHEN l.tax_rate LIKE '%.%' THEN rtrim(rtrim(l.tax_rate, '0'), '.') ELSE l.tax_rate END, '')
UNION ALL
SELECT i.id, i.organization_id, 'due_month', i.entity_id, i.currency, i.status, i.type,
    CASE WHEN i.due_date > '0001-01-01' THEN to_char(i.due_date, 'YYYY-MM') ELSE '' END, '', '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'created_month', i.entity_id, i.currency, i.status, i.type,
    to_char(i.created_at AT TIME ZONE 'UTC', 'YYYY-MM'), '', '', 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
FROM invoices AS i WHERE i.status <> 'REJECTED';
