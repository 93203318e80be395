package notices_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"docledger/infrastructure/notices"
)

// TestEveryLinkedModuleHasANotice compares the notices with the modules and versions
// that the go command links into the programs on this platform.
func TestEveryLinkedModuleHasANotice(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := notices.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	out, err := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{with or .Replace .}}{{.Path}} {{.Version}}{{end}}{{end}}{{end}}", "docledger/cmd/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		linked[strings.TrimSpace(line)] = true
	}
	delete(linked, "")
	if len(linked) < 50 {
		t.Fatalf("the programs link %d modules", len(linked))
	}
	for module := range linked {
		if !strings.Contains(text, "\n- "+module+"\n") {
			t.Errorf("%s has no notice: run go generate ./infrastructure/notices", module)
		}
		if !strings.Contains(text, "\n"+module+": ") {
			t.Errorf("%s has no licence text", module)
		}
	}
}

// TestEmbeddedComponentsHaveNotices checks the notices of the components that the
// programs embed.
func TestEmbeddedComponentsHaveNotices(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := notices.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\nGo standard library: LICENSE\n", "\npdfium: pdfium.txt\n", "\npdfium: freetype.txt\n", "\npdfium: libopenjpeg.txt\n", "\npdfium: musl.txt\n", "\npdfium: llvm-libc.txt\n",
		"\nemscripten: LICENSE\n", "Emscripten authors",
		"\nscalar-1.46.4: LICENSE\n", "vue@3", "Copyright 2014 The PDFium Authors", "The FreeType",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the notices lack %q", want)
		}
	}
}
