package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"docledger/domain/invoice"
)

// printer prints each result when it is available.
type printer struct {
	json  *json.Encoder
	table *tabwriter.Writer
}

func (e *extractor) printer() *printer {
	if !e.table {
		enc := json.NewEncoder(e.out)
		enc.SetEscapeHTML(false)
		return &printer{json: enc}
	}
	w := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "FILE\tSTATUS\tNUMBER\tDATE\tSELLER\tGROSS\tDUE\tREMARK")
	return &printer{table: w}
}

func (p *printer) answer(a *answer) error {
	if p.json != nil {
		return p.json.Encode(a)
	}
	if a.Error != nil {
		_, err := fmt.Fprintf(p.table, "%s\t%s\t\t\t\t\t\t%s\n", cell(a.File), a.Error.Code, cell(a.Error.Message))
		return err
	}
	for _, inv := range a.invoices {
		_, err := fmt.Fprintf(p.table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", cell(a.File), inv.Status, cell(inv.Number),
			inv.IssueDate, cell(inv.Seller.Name), amount(inv, invoice.Show(inv.GrossTotal)), inv.DueDate, failedRules(inv))
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *printer) end() error {
	if p.table == nil {
		return nil
	}
	return p.table.Flush()
}

func amount(inv *invoice.Invoice, number string) string {
	if number == "" {
		return ""
	}
	return strings.TrimSpace(number + " " + inv.Currency)
}

func failedRules(inv *invoice.Invoice) string {
	var rules []string
	for _, c := range inv.Checks {
		if !c.Passed {
			rules = append(rules, c.Rule)
		}
	}
	return strings.Join(rules, ", ")
}

// cellWidth limits the width of a table cell. The JSON output is complete.
const cellWidth = 60

// plain removes control characters from untrusted text for a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, s)
}

// cell is plain, limited to cellWidth.
func cell(s string) string {
	runes := []rune(plain(s))
	if len(runes) > cellWidth {
		return string(runes[:cellWidth-1]) + "…"
	}
	return string(runes)
}
