package rules

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExamplesAgainstOfficialArtefact compares the verdicts on every example of an
// EN 16931 rule with those of the official stylesheets, run by Saxon.
// EINVOICE_SUITES holds the clones as for TestOfficialSuites, and EINVOICE_SAXON is
// the Java class path of Saxon-HE.
func TestExamplesAgainstOfficialArtefact(t *testing.T) {
	root, classes := os.Getenv("EINVOICE_SUITES"), os.Getenv("EINVOICE_SAXON")
	if root == "" || classes == "" {
		fmt.Println("THE OFFICIAL STYLESHEETS ARE ABSENT: no example was compared. Set EINVOICE_SUITES and EINVOICE_SAXON.")
		t.Skip("EINVOICE_SUITES or EINVOICE_SAXON is not set")
	}
	suite := suiteFolder(t, root, "ConnectingEurope/eInvoicing-EN16931")
	official := map[string]bool{}
	for i := range en16931.rules {
		official[en16931.rules[i].id] = true
	}
	ours := map[string]map[string]map[string]bool{"ubl": {}, "cii": {}} // by syntax and document
	for _, x := range examples(t) {
		for _, change := range []string{x.accepted, strings.TrimPrefix(x.accepted+" ; "+x.violated, " ; ")} {
			e := elements(t, baseDocument(t, x.base))
			e.change(t, change)
			if doc := e.String(); official[x.rule] && ours[syntaxOf(x.base)][doc] == nil {
				ours[syntaxOf(x.base)][doc] = violated(t, doc)
			}
		}
	}
	same, different, refused := 0, 0, 0
	for syntax, documents := range ours {
		in, out := t.TempDir(), t.TempDir()
		names := map[string]string{}
		for doc := range documents {
			name := fmt.Sprintf("%04d.xml", len(names))
			names[name] = doc
			if err := os.WriteFile(filepath.Join(in, name), []byte(doc), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		sheet := filepath.Join(suite, syntax, "xslt", "EN16931-"+strings.ToUpper(syntax)+"-validation.xslt")
		cmd := exec.CommandContext(t.Context(), "java", "-cp", classes, "net.sf.saxon.Transform", "-s:"+in, "-o:"+out, "-xsl:"+sheet)
		text, err := cmd.CombinedOutput()
		if entries, _ := os.ReadDir(out); len(entries) == 0 {
			t.Fatalf("Saxon: %v\n%.2000s", err, text)
		}
		for name, doc := range names {
			report, err := os.ReadFile(filepath.Join(out, name))
			if err != nil || len(report) == 0 {
				refused++ // the stylesheet ends with an error for a value that it cannot compute with
				continue
			}
			theirs := failedAsserts(t, report)
			mine := []string{}
			for id := range documents[doc] {
				if official[id] {
					mine = append(mine, id)
				}
			}
			slices.Sort(mine)
			if slices.Equal(mine, theirs) {
				same++
				continue
			}
			different++
			t.Errorf("%s: only docledger %v, only official %v", syntax, without(mine, theirs), without(theirs, mine))
		}
	}
	t.Logf("%d documents have the same verdict, %d another one, the stylesheet ends with an error for %d", same, different, refused)
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(id string) bool { return slices.Contains(other, id) })
}

// failedAsserts returns the ids of the violated rules of a report in SVRL.
func failedAsserts(t *testing.T, report []byte) []string {
	t.Helper()
	ids := []string{}
	dec := xml.NewDecoder(strings.NewReader(string(report)))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			slices.Sort(ids)
			return slices.Compact(ids)
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "failed-assert" {
			for _, a := range e.Attr {
				if a.Name.Local == "id" {
					ids = append(ids, a.Value)
				}
			}
		}
	}
}
