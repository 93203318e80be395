package export

import "testing"

// TestSafeNames returns names that every system can unpack.
func TestSafeNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a.pdf": "a.pdf", `..\..\x.pdf`: "x.pdf", "../..": "document", " . ": "document", "x.pdf. ": "x.pdf", "a:b?.pdf": "a_b_.pdf",
		"aux": "_aux", "Con.xml": "_Con.xml", "nul.tar.gz": "_nul.tar.gz", "COM1.pdf": "_COM1.pdf", "lpt\u00b2": "_lpt\u00b2", "prn .pdf": "_prn .pdf",
		"auxiliary.pdf": "auxiliary.pdf", "com10.pdf": "com10.pdf", "a.con": "a.con",
	} {
		if got := safeName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
