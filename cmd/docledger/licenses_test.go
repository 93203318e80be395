package main

import (
	"strings"
	"testing"
)

// TestLicensesArePrinted checks that the program prints the licences of its
// components.
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
