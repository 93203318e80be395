package document

import "testing"

func TestCleanFilename(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.pdf":                             "a.pdf",
		`C:\in\a.pdf`:                       "a.pdf",
		"..":                                "document",
		"":                                  "document",
		"\u202Efdp.a":                       "fdp.a",
		"\u200B\u200C\u200D":                "document",
		"\U000E0041\U000E0042":              "document",
		"\u3164 \u2800\uFE0F":               "document",
		"in\u200Bvoice\U000E0041\u00AD.pdf": "invoice.pdf",
		"نامه\u200Cها.pdf":                  "نامه\u200Cها.pdf",
		"क्\u200Dष.pdf":                     "क्\u200Dष.pdf",
		"\u06001.pdf":                       "\u06001.pdf",
	} {
		if got := CleanFilename(name); got != want {
			t.Errorf("%+q: %+q, want %+q", name, got, want)
		}
	}
}
