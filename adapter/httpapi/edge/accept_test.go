package edge_test

import (
	"testing"

	"docledger/adapter/httpapi/edge"
)

func TestPreferred(t *testing.T) {
	t.Parallel()
	const html, pdf = "text/html", "application/pdf"
	for _, test := range []struct{ accept, want string }{
		{"", html},
		{"*/*", html},
		{"application/pdf", pdf},
		{"Application/PDF", pdf},
		{"application/*", pdf},
		{"text/html, application/pdf", html},
		{"application/pdf, text/html", pdf},
		{"application/pdf;q=0.1, text/html;q=0.9", html},
		{"text/html;q=0.1, application/pdf;q=0.9", pdf},
		{"text/html;q=0.9, application/pdf", pdf},
		{"text/*;q=0.5, application/pdf;q=0.4", html},
		{"text/html;q=0, */*", pdf},
		{"application/pdf;q=0", html},
		{"application/pdf;q=0, */*", html},
		{"*/*, application/pdf", pdf},
		{"*/*;q=0.5, application/pdf;q=0.4", html},
		{"text/html;level=1;q=0.2, application/pdf;q=0.1", html},
		{"application/pdf;q=2", html},
		{"application/pdf;q=NaN, image/png", html},
		{"image/png", html},
		{";;, application/pdf", pdf},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", html},
	} {
		if got := edge.Preferred([]string{test.accept}, html, pdf); got != test.want {
			t.Errorf("%q prefers %s, want %s", test.accept, got, test.want)
		}
	}
	if got := edge.Preferred([]string{"text/html;q=0.1", "application/pdf"}, html, pdf); got != pdf {
		t.Errorf("two headers prefer %s", got)
	}
	if got := edge.Preferred(nil, html, pdf); got != html {
		t.Errorf("no header prefers %s", got)
	}
}
