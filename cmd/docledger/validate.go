package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"docledger/adapter/extract"
	"docledger/domain/einvoice"
	"docledger/domain/extraction"

	"github.com/spf13/cobra"
)

func validateCommand() *cobra.Command {
	var text bool
	var deadline time.Duration
	c := &cobra.Command{
		Use:   "validate FILE...",
		Short: "Validate electronic invoices by the official rules",
		Long: "Evaluates the rules that each FILE claims to follow: EN 16931, XRechnung and Peppol BIS Billing 3, in UBL and CII,\n" +
			"as XML or embedded in a PDF. Prints one JSON object on each line, in the order of the files:\n" +
			`  {"file": PATH, "outcome": "VALID|INVALID|NOT_JUDGED", "findings": [...], ...}  or  {"file": PATH, "error": {"code": ..., "message": ...}}` + "\n" +
			"The names are those of the API. The exit status is 0 if no file is INVALID and every file could be read, else 1.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			pipeline := extract.New(extract.Options{Children: 1, Deadline: deadline})
			defer pipeline.Close()
			return validateFiles(c.Context(), pipeline, c.OutOrStdout(), files, text)
		},
	}
	c.Flags().BoolVar(&text, "text", false, "print text instead of JSON")
	c.Flags().DurationVar(&deadline, "deadline", 8*time.Second, "time limit for one file")
	return c
}

// validation is one line of output.
type validation struct {
	File          string              `json:"file"`
	Outcome       einvoice.Outcome    `json:"outcome,omitempty"`
	Format        string              `json:"format,omitempty"`
	Customization string              `json:"customization,omitempty"`
	RuleSets      []validationRules   `json:"rule_sets,omitempty"`
	Findings      []validationFinding `json:"findings,omitempty"`
	Note          string              `json:"note,omitempty"`
	Error         *answerError        `json:"error,omitempty"`
}

type validationRules struct {
	Profile einvoice.Profile `json:"profile"`
	Version string           `json:"version"`
}

type validationFinding struct {
	Rule     string            `json:"rule"`
	Profile  einvoice.Profile  `json:"profile"`
	Severity einvoice.Severity `json:"severity"`
	Terms    []string          `json:"terms"`
	Message  string            `json:"message"`
	Elements []string          `json:"elements"`
	Count    int               `json:"count"`
}

// validateFiles prints the verdict on each file. It returns errSilent if one is
// invalid or cannot be read.
func validateFiles(ctx context.Context, reader extraction.Reader, out io.Writer, files []string, text bool) error {
	failed := false
	for _, path := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		v := validateFile(ctx, reader, path)
		failed = failed || v.Error != nil || v.Outcome == einvoice.Invalid
		if err := v.print(out, text); err != nil {
			return err
		}
	}
	if failed {
		return errSilent
	}
	return nil
}

func validateFile(ctx context.Context, reader extraction.Reader, path string) *validation {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return &validation{File: path, Error: &answerError{Code: "not_found", Message: "The file cannot be opened: " + reason(err) + "."}}
	}
	result, err := reader.Read(ctx, extraction.Source{Name: filepath.Base(path), Path: path, Size: info.Size()})
	var failure *extraction.Failure
	switch {
	case errors.As(err, &failure):
		return &validation{File: path, Error: &answerError{Code: failure.Code(), Message: failure.Message}}
	case err != nil:
		return &validation{File: path, Error: &answerError{Code: "internal", Message: "The file cannot be read: " + reason(err) + "."}}
	}
	verdict := result.Validation()
	v := &validation{File: path, Outcome: verdict.Outcome, Format: verdict.Format, Customization: verdict.Customization, Note: verdict.Note}
	for _, s := range verdict.RuleSets {
		v.RuleSets = append(v.RuleSets, validationRules{s.Profile, s.Version})
	}
	for _, f := range verdict.Findings {
		v.Findings = append(v.Findings, validationFinding{f.Rule, f.Profile, f.Severity, f.Terms, f.Message, f.Elements, f.Count})
	}
	return v
}

func (v *validation) print(out io.Writer, text bool) error {
	if !text {
		line, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("print verdict: %w", err)
		}
		_, err = fmt.Fprintf(out, "%s\n", line)
		return err
	}
	var b strings.Builder
	switch {
	case v.Error != nil:
		fmt.Fprintf(&b, "%s: %s\n", v.File, v.Error.Message)
	case v.Note != "":
		fmt.Fprintf(&b, "%s: %s (%s)\n", v.File, v.Outcome, v.Note)
	default:
		fmt.Fprintf(&b, "%s: %s\n", v.File, v.Outcome)
	}
	for _, f := range v.Findings {
		fmt.Fprintf(&b, "  %-11s %s  %s\n", f.Severity, f.Rule, f.Message)
		for _, e := range f.Elements {
			fmt.Fprintf(&b, "              %s\n", e)
		}
		if more := f.Count - len(f.Elements); more > 0 {
			fmt.Fprintf(&b, "              and %d more\n", more)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}
