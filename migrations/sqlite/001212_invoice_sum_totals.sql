-- +goose Up
-- A sum of a whole organization adds up one row for each entity, supplier, status and month of
-- invoice_sums. These totals have fewer rows: those of the part 'entity' have no month, and those of the
-- other parts are of all entities and have the entity zero. Triggers keep them equal to invoice_sums, also
-- while the release before counts.
CREATE TABLE invoice_sum_totals (
    organization_id text NOT NULL,
    part            text NOT NULL,
    entity_id       text NOT NULL,
    currency        text NOT NULL,
    status          text NOT NULL,
    type            text NOT NULL,
    month           text NOT NULL,
    key_a           text NOT NULL,
    key_b           text NOT NULL,
    invoices        integer NOT NULL,
    net             integer NOT NULL,
    nets            integer NOT NULL,
    tax             integer NOT NULL,
    taxes           integer NOT NULL,
    gross           integer NOT NULL,
    grosses         integer NOT NULL,
    due             integer NOT NULL,
    dues            integer NOT NULL,
    PRIMARY KEY (organization_id, part, entity_id, currency, status, type, month, key_a, key_b)
) WITHOUT ROWID;

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

INSERT INTO invoice_sum_totals (organization_id, part, entity_id, currency, status, type, month, key_a, key_b, invoices, net, nets, tax, taxes, gross, grosses, due, dues)
    SELECT organization_id, part, '00000000-0000-0000-0000-000000000000', currency, status, type, month, key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sums GROUP BY organization_id, part, currency, status, type, month, key_a, key_b
    UNION ALL
    SELECT organization_id, 'entity', entity_id, currency, status, type, '', key_a, key_b, sum(invoices), sum(net), sum(nets), sum(tax), sum(taxes), sum(gross), sum(grosses), sum(due), sum(dues)
    FROM invoice_sums WHERE part = 'invoice' GROUP BY organization_id, entity_id, currency, status, type, key_a, key_b;

-- +goose Down
DROP TRIGGER invoice_sum_totals_delete;
DROP TRIGGER invoice_sum_totals_update;
DROP TRIGGER invoice_sum_totals_insert;
DROP TABLE invoice_sum_totals;
