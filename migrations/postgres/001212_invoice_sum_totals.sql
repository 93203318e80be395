-- +goose Up
-- A sum of a whole organization adds up one row for each entity, supplier, status and month of
-- invoice_sums. These totals have fewer rows: those of the part 'entity' have no month, and those of the
-- other parts are of all entities and have the entity zero. Triggers keep them equal to invoice_sums, also
-- while the release before counts.
CREATE TABLE invoice_sum_totals (
    organization_id uuid NOT NULL,
    part            text NOT NULL,
    entity_id       uuid NOT NULL,
    currency        text NOT NULL,
    status          text NOT NULL,
    type            text NOT NULL,
    month           text NOT NULL,
    key_a           text NOT NULL,
    key_b           text NOT NULL,
    invoices        bigint NOT NULL,
    net             numeric NOT NULL,
    nets            bigint NOT NULL,
    tax             numeric NOT NULL,
    taxes           bigint NOT NULL,
    gross           numeric NOT NULL,
    grosses         bigint NOT NULL,
    due             numeric NOT NULL,
    dues            bigint NOT NULL,
    PRIMARY KEY (organization_id, part, entity_id, currency, status, type, month, key_a, key_b)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- +goose StatementBegin
CREATE FUNCTION invoice_sum_totals_insert() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION invoice_sum_totals_update() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION invoice_sum_totals_delete() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER invoice_sum_totals_insert AFTER INSERT ON invoice_sums REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION invoice_sum_totals_insert();
CREATE TRIGGER invoice_sum_totals_update AFTER UPDATE ON invoice_sums REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION invoice_sum_totals_update();
CREATE TRIGGER invoice_sum_totals_delete AFTER DELETE ON invoice_sums REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION invoice_sum_totals_delete();

INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b, sum(s.invoices), sum(s.net), sum(s.nets), sum(s.tax), sum(s.taxes), sum(s.gross), sum(s.grosses), sum(s.due), sum(s.dues)
    FROM invoice_sums AS s
    CROSS JOIN LATERAL (VALUES (s.part, '00000000-0000-0000-0000-000000000000'::uuid, s.month), ('entity', s.entity_id, '')) AS t (part, entity_id, month)
    WHERE (t.part <> 'entity' OR s.part = 'invoice')
    GROUP BY s.organization_id, t.part, t.entity_id, s.currency, s.status, s.type, t.month, s.key_a, s.key_b;

-- +goose Down
DROP TRIGGER invoice_sum_totals_delete ON invoice_sums;
DROP TRIGGER invoice_sum_totals_update ON invoice_sums;
DROP TRIGGER invoice_sum_totals_insert ON invoice_sums;
DROP FUNCTION invoice_sum_totals_delete();
DROP FUNCTION invoice_sum_totals_update();
DROP FUNCTION invoice_sum_totals_insert();
DROP TABLE invoice_sum_totals;
