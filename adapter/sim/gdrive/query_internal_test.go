package gdrive

import (
	"strings"
	"testing"
	"time"
)

// sample is a store with one folder of files.
func sample() (s store, folder, quoted, binned *file) {
	now := time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)
	s = newStore([]*User{{ID: "1"}}, now)
	folder = s.put(&file{id: "folder", name: "In voices", mime: folderType, parent: s.roots["1"], owner: "1"}, now)
	quoted = s.put(&file{id: "quoted", name: `O'Neill \ Sons.pdf`, mime: "application/pdf", parent: "folder", owner: "1"}, now)
	binned = s.put(&file{id: "binned", name: "old.xml", mime: "text/xml", parent: "folder", owner: "1", trashed: true}, now.Add(time.Hour))
	return s, folder, quoted, binned
}

func TestQueries(t *testing.T) {
	t.Parallel()
	s, folder, quoted, binned := sample()
	all := []*file{folder, quoted, binned}
	for text, want := range map[string]string{
		"":                "folder quoted binned",
		"trashed = false": "folder quoted",
		"trashed=true":    "binned",
		"trashed != true and 'folder' in parents":                      "quoted",
		"'root' in parents":                                            "folder",
		"mimeType = 'application/vnd.google-apps.folder'":              "folder",
		"mimeType != 'application/vnd.google-apps.folder'":             "quoted binned",
		"mimeType contains 'xml' or mimeType contains 'pdf'":           "quoted binned",
		"not 'folder' in parents":                                      "folder",
		"not (trashed = true or 'root' in parents)":                    "quoted",
		`name = 'O\'Neill \\ Sons.pdf'`:                                "quoted",
		"name = 'in VOICES'":                                           "folder",
		"name contains 'voi'":                                          "folder",
		"name contains 'oices'":                                        "",
		"name = 'old.xml' or name = 'In voices' and trashed = true":    "binned",
		"(name = 'old.xml' or name = 'In voices') and trashed = true":  "binned",
		"(name = 'old.xml' or name = 'In voices') and trashed = false": "folder",
		"modifiedTime > '2026-03-02T09:30:00Z'":                        "binned",
		"modifiedTime <= '2026-03-02T09:30:00'":                        "folder quoted",
		"sharedWithMe = true":                                          "",
		"  ( (trashed = false) )\tand\nNOT 'root' in parents ":         "quoted",
	} {
		q, err := parseQuery(text, s.roots["1"])
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, f := range all {
			if q.fits(&s, f) {
				got = append(got, f.id)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s finds %v, want %s", text, got, want)
		}
	}
}

func TestQueriesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"name", "name =", "name = x", "name > 'x'", "name = 'x", `name = 'x\n'`, `name = 'x\`, "size = '3'", "trashed = 'true'", "trashed > true",
		"trashed = maybe", "'a' in owners", "'a' = parents", "'a' in 'parents'", "(trashed = true", "trashed = true)", "trashed = true and",
		"or trashed = true", "trashed = true trashed = true", "not", "modifiedTime > 'yesterday'", "modifiedTime contains '2026-03-02T09:30:00Z'",
		strings.Repeat("(", 100) + "trashed = true" + strings.Repeat(")", 100), strings.Repeat("not ", 100) + "trashed = true",
	} {
		if _, err := parseQuery(text, "root"); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// FuzzQuery checks that a query that parses can be evaluated, and that a quoted text finds the
// file of that name, whatever characters it contains.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"name = 'a' and (not 'b' in parents or trashed=false)", `\'`, `'`, "a' or '1'='1", "((", "modifiedTime>'2026-01-01T00:00:00Z'"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, folder, quoted, binned := sample()
		if q, err := parseQuery(text, "root"); err == nil {
			for _, one := range []*file{folder, quoted, binned} {
				q.fits(&s, one)
			}
		}
		quoted.name = text
		escaped := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text)
		q, err := parseQuery("name = '"+escaped+"' and 'folder' in parents", "root")
		if err != nil || !q.fits(&s, quoted) {
			t.Fatalf("%q is not found: %v", text, err)
		}
	})
}

func TestFieldSelections(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"*": true, "id": true, "id,name, size": true, "capabilities(canDownload)": true, "capabilities/canDownload,id": true,
		"shortcutDetails(targetId,targetMimeType),id": true, "": false, "id,": false, "(id)": false, "id(": false, "id)": false,
		"nothing": false, "capabilities(nothing)": false, "capabilities/nothing": false, "id,,name": false, "capabilities(canDownload": false,
	} {
		got, bad := parseFields(text)
		if ok := bad == "" && unknown(got, fileFields.all) == ""; ok != want {
			t.Errorf("%q is taken: %t", text, ok)
		}
	}
	picked, _ := parseFields("kind,files(id,capabilities/canDownload)")
	out := picked.apply(object{"kind": "k", "next": "n", "files": []any{object{"id": "1", "name": "x", "capabilities": object{"canDownload": true, "b": 1}}}})
	file := out.(object)["files"].([]any)[0].(object)
	if len(out.(object)) != 2 || len(file) != 2 || len(file["capabilities"].(object)) != 1 {
		t.Errorf("selected %v", out)
	}
}
