package docs

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"docledger/domain/fault"

	"go.yaml.in/yaml/v3"
)

//go:embed errors.yaml
var errorList []byte

//go:embed errors.html
var errorPage string

// ErrorHelp says what a code means and what to do about it.
type ErrorHelp struct {
	Code   fault.Code `yaml:"code"`
	Status int        `yaml:"status"` // HTTP
	Cause  string     `yaml:"cause"`
	Remedy string     `yaml:"remedy"`
}

// Errors lists the help for every code.
func Errors() ([]ErrorHelp, error) {
	var list []ErrorHelp
	if err := yaml.Unmarshal(errorList, &list); err != nil {
		return nil, fmt.Errorf("read the list of errors: %w", err)
	}
	return list, nil
}

// errorsAsset is the page of /docs/errors.
func errorsAsset() (asset, error) {
	list, err := Errors()
	if err != nil {
		return asset{}, err
	}
	page, err := template.New("errors").Parse(errorPage)
	if err != nil {
		return asset{}, fmt.Errorf("read the page of errors: %w", err)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, list); err != nil {
		return asset{}, fmt.Errorf("write the page of errors: %w", err)
	}
	return asset{html, out.Bytes(), tag(out.Bytes())}, nil
}
