package httpapi

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"

	"docledger/domain/fault"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// confirmationPath is the page of the web application that shows the items of a
// confirmation. Its query is read by web/src/screens/confirm/search.ts.
const confirmationPath = "/confirm"

// isForAPerson reports whether an item was refused only because the caller is an
// assistant or lacks the role. Then a person may be able to do it.
func isForAPerson(ctx context.Context, err error) bool {
	f := new(fault.Error)
	return actor(ctx).IsAssistant() && errors.As(err, &f) && f.Kind == fault.Forbidden && f.Code == fault.CodeForbidden
}

// confirmationURL returns the page on which a person confirms an action on
// invoices. It carries no rights and no data of the invoices: the page reads them
// with the person's own session and sends the versions that it shows.
func (s *Server) confirmationURL(action backend.BulkRequestAction, invoices []uuid.UUID, reason *string) string {
	items := make([]string, len(invoices))
	for i, id := range invoices {
		items[i] = base64.RawURLEncoding.EncodeToString(id[:])
	}
	address := s.PagesURL + confirmationPath + "?action=" + url.QueryEscape(string(action)) + "&items=" + strings.Join(items, ".")
	if reason != nil {
		address += "&reason=" + url.QueryEscape(*reason)
	}
	return address
}
