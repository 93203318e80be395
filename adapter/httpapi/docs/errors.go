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

// ErrorHelp describes the cause of a code and the remedy.
type ErrorHelp struct {
	Code   fault.Code `yaml:"code"`
	Status int        `yaml:"status"` // HTTP
	Cause  string     `yaml:"cause"`
	Remedy string     `yaml:"remedy"`
}

// Errors returns the help for every code.
func Errors() ([]ErrorHelp, error) {
	var list []ErrorHelp
	if err := yaml.Unmarshal(errorList, &list); err != nil {
		return nil, fmt.Errorf("read error list: %w", err)
	}
	return list, nil
}

// errorsAsset returns the page /docs/errors.
func errorsAsset() (asset, error) {
	list, err := Errors()
	if err != nil {
		return asset{}, err
	}
	page, err := template.New("errors").Parse(errorPage)
	if err != nil {
		return asset{}, fmt.Errorf("parse error page: %w", err)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, list); err != nil {
		return asset{}, fmt.Errorf("render error page: %w", err)
	}
	return asset{html, out.Bytes(), tag(out.Bytes())}, nil
}
