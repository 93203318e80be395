package main

import (
	"strings"
	"testing"
)

// TestLicensesArePrinted: the program carries the licences of what it contains.
func TestLicensesArePrinted(t *testing.T) {
	text, err := run(t, "licenses")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\n- github.com/gin-gonic/gin v", "\n- pdfium\n", "Apache License", "Permission is hereby granted"} {
		if !strings.Contains(text, want) {
			t.Errorf("the licences lack %q", want)
		}
	}
}
