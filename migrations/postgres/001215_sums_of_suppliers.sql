-- +goose Up
-- Sums by supplier have groups with status and type, and those by tax rate with month. Three parts of
-- invoice_sums are of whole organizations: supplier and month, account and month, and supplier and account.
-- Their entity is zero, they have no totals, and the type of the last one is the account.
-- No job counts meanwhile. A change of an invoice waits before it reads the view or writes to
-- invoices_uncounted, so that it has no lock for which this migration waits.
SELECT pg_advisory_xact_lock(hashtextextended('docledger sums', 0));
LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE;
-- A group with both a seller and an account has a limited number of characters. Invoices with more remain uncounted.
CREATE TEMPORARY TABLE invoices_long ON COMMIT DROP AS SELECT DISTINCT i.organization_id, i.id FROM invoice_lines AS l JOIN invoices AS i ON i.id = l.invoice_id
    WHERE length(l.account_id) + length(i.seller_tax_id) + length(i.seller_name) > 400
        AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = i.organization_id AND u.invoice_id = i.id);
INSERT INTO invoice_sum_changes (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT p.organization_id, p.part, p.entity_id, p.currency, p.status, p.type, p.month, p.key_a, p.key_b, -p.invoices, -p.net, -p.nets, -p.tax, -p.taxes, -p.gross, -p.grosses, -p.due, -p.dues
    FROM invoices_long AS o CROSS JOIN LATERAL (SELECT * FROM invoice_sum_parts AS p WHERE p.invoice_id = o.id) AS p;
INSERT INTO invoices_uncounted (organization_id, invoice_id) SELECT organization_id, id FROM invoices_long;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_sum_totals_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b, sum(s.invoices), sum(s.net), sum(s.nets), sum(s.tax), sum(s.taxes), sum(s.gross), sum(s.grosses), sum(s.due), sum(s.dues)
        FROM added AS s
        CROSS JOIN LATERAL (VALUES (s.part, '00000000-0000-0000-0000-000000000000'::uuid, s.month), ('entity', s.entity_id, '')) AS t (part, entity_id, month)
        WHERE s.entity_id <> '00000000-0000-0000-0000-000000000000' AND (t.part <> 'entity' OR s.part = 'invoice')
        GROUP BY s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_sum_totals_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b, sum(s.invoices), sum(s.net), sum(s.nets), sum(s.tax), sum(s.taxes), sum(s.gross), sum(s.grosses), sum(s.due), sum(s.dues)
        FROM (SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues FROM added UNION ALL SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, -invoices, -net, -nets, -tax, -taxes, -gross, -grosses, -due, -dues FROM removed) AS s
        CROSS JOIN LATERAL (VALUES (s.part, '00000000-0000-0000-0000-000000000000'::uuid, s.month), ('entity', s.entity_id, '')) AS t (part, entity_id, month)
        WHERE s.entity_id <> '00000000-0000-0000-0000-000000000000' AND (t.part <> 'entity' OR s.part = 'invoice')
        GROUP BY s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_sum_totals_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE invoice_sum_totals AS o SET invoices = o.invoices - r.invoices, net = o.net - r.net, nets = o.nets - r.nets, tax = o.tax - r.tax, taxes = o.taxes - r.taxes, gross = o.gross - r.gross, grosses = o.grosses - r.grosses, due = o.due - r.due, dues = o.dues - r.dues
        FROM (SELECT s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b, sum(s.invoices) AS invoices, sum(s.net) AS net, sum(s.nets) AS nets, sum(s.tax) AS tax, sum(s.taxes) AS taxes, sum(s.gross) AS gross, sum(s.grosses) AS grosses, sum(s.due) AS due, sum(s.dues) AS dues
            FROM removed AS s
            CROSS JOIN LATERAL (VALUES (s.part, '00000000-0000-0000-0000-000000000000'::uuid, s.month), ('entity', s.entity_id, '')) AS t (part, entity_id, month)
            WHERE s.entity_id <> '00000000-0000-0000-0000-000000000000' AND (t.part <> 'entity' OR s.part = 'invoice')
            GROUP BY s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b) AS r
        WHERE (o.organization_id, o.part, o.entity_id, o.currency, o.status, o.type, o.month, o.key_a, o.key_b)
            = (r.organization_id, r.part, r.entity_id, r.currency, r.status, r.type, r.month, r.key_a, r.key_b);
    DELETE FROM invoice_sum_totals AS o USING removed AS s
        CROSS JOIN LATERAL (VALUES (s.part, '00000000-0000-0000-0000-000000000000'::uuid, s.month), ('entity', s.entity_id, '')) AS t (part, entity_id, month)
        WHERE o.invoices = 0 AND s.entity_id <> '00000000-0000-0000-0000-000000000000' AND (t.part <> 'entity' OR s.part = 'invoice') AND (o.organization_id, o.part, o.entity_id, o.currency, o.status, o.type, o.month, o.key_a, o.key_b)
            = (s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b);
    RETURN NULL;
END $$;
-- +goose StatementEnd
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
GROUP BY i.id, l.account_id;
DELETE FROM invoice_sum_changes WHERE part IN ('supplier', 'tax');
DELETE FROM invoice_sums WHERE part IN ('supplier', 'tax');
INSERT INTO invoice_sums (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sum_parts AS p
    WHERE part IN ('supplier', 'tax', 'supplier_month', 'account_month', 'supplier_account') AND NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = p.organization_id AND u.invoice_id = p.invoice_id)
    GROUP BY organization_id, part, entity_id, currency, status, type, month, key_a, key_b;

-- +goose Down
-- No job counts meanwhile. A change of an invoice waits before it reads the view or writes to
-- invoices_uncounted, so that it has no lock for which this migration waits.
SELECT pg_advisory_xact_lock(hashtextextended('docledger sums', 0));
LOCK TABLE invoices IN SHARE ROW EXCLUSIVE MODE;
DELETE FROM invoice_sum_changes WHERE part IN ('supplier', 'tax', 'supplier_month', 'account_month', 'supplier_account');
DELETE FROM invoice_sums WHERE part IN ('supplier', 'tax', 'supplier_month', 'account_month', 'supplier_account');
CREATE OR REPLACE VIEW invoice_sum_parts AS
SELECT i.id AS invoice_id, i.organization_id, 'invoice' AS part, i.entity_id, i.currency, i.status, i.type,
    coalesce(to_char(i.issue_date, 'YYYY-MM'), '') AS month, '' AS key_a, '' AS key_b, 1 AS invoices,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0) AS net, (i.net_fixed IS NOT NULL)::int AS nets,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0) AS tax, (i.tax_fixed IS NOT NULL)::int AS taxes,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0) AS gross, (i.gross_fixed IS NOT NULL)::int AS grosses,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0) AS due, (i.due_fixed IS NOT NULL)::int AS dues
FROM invoices AS i WHERE i.status <> 'REJECTED'
UNION ALL
SELECT i.id, i.organization_id, 'supplier', i.entity_id, i.currency, '', '', '', i.seller_tax_id, i.seller_name, 1,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.net_fixed, 0), (i.net_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.tax_fixed, 0), (i.tax_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.gross_fixed, 0), (i.gross_fixed IS NOT NULL)::int,
    CASE i.type WHEN 'CREDIT_NOTE' THEN -1 ELSE 1 END * coalesce(i.due_fixed, 0), (i.due_fixed IS NOT NULL)::int
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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_sum_totals_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b, sum(s.invoices), sum(s.net), sum(s.nets), sum(s.tax), sum(s.taxes), sum(s.gross), sum(s.grosses), sum(s.due), sum(s.dues)
        FROM added AS s
        CROSS JOIN LATERAL (VALUES (s.part, '00000000-0000-0000-0000-000000000000'::uuid, s.month), ('entity', s.entity_id, '')) AS t (part, entity_id, month)
        WHERE (t.part <> 'entity' OR s.part = 'invoice')
        GROUP BY s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_sum_totals_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
        SELECT s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b, sum(s.invoices), sum(s.net), sum(s.nets), sum(s.tax), sum(s.taxes), sum(s.gross), sum(s.grosses), sum(s.due), sum(s.dues)
        FROM (SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues FROM added UNION ALL SELECT organization_id, part, entity_id, currency, status, type, month, key_a, key_b, -invoices, -net, -nets, -tax, -taxes, -gross, -grosses, -due, -dues FROM removed) AS s
        CROSS JOIN LATERAL (VALUES (s.part, '00000000-0000-0000-0000-000000000000'::uuid, s.month), ('entity', s.entity_id, '')) AS t (part, entity_id, month)
        WHERE (t.part <> 'entity' OR s.part = 'invoice')
        GROUP BY s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b
        ON CONFLICT (organization_id, part, entity_id, currency, status, type, month, key_a, key_b) DO UPDATE SET
            invoices = invoice_sum_totals.invoices + excluded.invoices, net = invoice_sum_totals.net + excluded.net, nets = invoice_sum_totals.nets + excluded.nets,
            tax = invoice_sum_totals.tax + excluded.tax, taxes = invoice_sum_totals.taxes + excluded.taxes,
            gross = invoice_sum_totals.gross + excluded.gross, grosses = invoice_sum_totals.grosses + excluded.grosses,
            due = invoice_sum_totals.due + excluded.due, dues = invoice_sum_totals.dues + excluded.dues;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION invoice_sum_totals_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE invoice_sum_totals AS o SET invoices = o.invoices - r.invoices, net = o.net - r.net, nets = o.nets - r.nets, tax = o.tax - r.tax, taxes = o.taxes - r.taxes, gross = o.gross - r.gross, grosses = o.grosses - r.grosses, due = o.due - r.due, dues = o.dues - r.dues
        FROM (SELECT s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b, sum(s.invoices) AS invoices, sum(s.net) AS net, sum(s.nets) AS nets, sum(s.tax) AS tax, sum(s.taxes) AS taxes, sum(s.gross) AS gross, sum(s.grosses) AS grosses, sum(s.due) AS due, sum(s.dues) AS dues
            FROM removed AS s
            CROSS JOIN LATERAL (VALUES (s.part, '00000000-0000-0000-0000-000000000000'::uuid, s.month), ('entity', s.entity_id, '')) AS t (part, entity_id, month)
            WHERE (t.part <> 'entity' OR s.part = 'invoice')
            GROUP BY s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b) AS r
        WHERE (o.organization_id, o.part, o.entity_id, o.currency, o.status, o.type, o.month, o.key_a, o.key_b)
            = (r.organization_id, r.part, r.entity_id, r.currency, r.status, r.type, r.month, r.key_a, r.key_b);
    DELETE FROM invoice_sum_totals AS o USING removed AS s
        CROSS JOIN LATERAL (VALUES (s.part, '00000000-0000-0000-0000-000000000000'::uuid, s.month), ('entity', s.entity_id, '')) AS t (part, entity_id, month)
        WHERE o.invoices = 0 AND (t.part <> 'entity' OR s.part = 'invoice') AND (o.organization_id, o.part, o.entity_id, o.currency, o.status, o.type, o.month, o.key_a, o.key_b)
            = (s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b);
    RETURN NULL;
END $$;
-- +goose StatementEnd
