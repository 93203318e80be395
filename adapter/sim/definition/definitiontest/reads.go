package definitiontest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docledger/adapter/sim/definition"
)

// Sources are the packages of a connector.
type Sources struct {
	Folders []string
	// Own are the structs, by the name of their type, that are no part of an
	// exchange although all their fields are exported.
	Own []string
	// Together names the types of the vendor that one struct reads, or "errors".
	Together map[string][]string
}

// Reads fails the test for a field that the connector decodes or encodes, and
// for a parameter that it sends, and that the vendor's definition does not have.
// A struct is part of an exchange if a field has a JSON tag or if all its fields
// are exported.
func Reads(t testing.TB, vendor string, of Sources) {
	t.Helper()
	found, err := Lacking(vendor, of)
	if err != nil {
		t.Fatal(err)
	}
	for _, finding := range found {
		t.Error(finding)
	}
}

// Lacking returns what the definition of a vendor does not have of a connector.
func Lacking(vendor string, of Sources) (found []string, err error) {
	d, err := definition.Of(vendor)
	if err != nil {
		return nil, err
	}
	s, err := scan(of)
	if err != nil {
		return nil, err
	}
	report := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if len(s.structs) == 0 {
		report("%v has no struct that is part of an exchange", of.Folders)
	}
	for _, read := range s.structs {
		if why := d.Knows(s.fields(read.node, deepest), of.Together[read.name]...); why != "" {
			report("%s: %s is not in the definition of %s: %s", read.at, read.name, vendor, why)
		}
	}
	for _, name := range s.parameters {
		if !d.HasParameter(name.text) {
			report("%s: %s has no parameter %s", name.at, vendor, name.text)
		}
	}
	for _, name := range append(slices.Clone(of.Own), slices.Sorted(maps.Keys(of.Together))...) {
		if s.types[name] == nil {
			report("the connector has no struct %s", name)
		}
	}
	return found, nil
}

// scanned is what the source of a connector has.
type scanned struct {
	types    map[string]*ast.StructType
	together map[string][]string // compared alone
	structs  []struct {
		name, at string
		node     *ast.StructType
	}
	parameters []struct{ text, at string }
}

// scan reads the source.
func scan(of Sources) (*scanned, error) {
	s, set := &scanned{types: map[string]*ast.StructType{}, together: of.Together}, token.NewFileSet()
	var files []*ast.File
	for _, folder := range of.Folders {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			file, err := parser.ParseFile(set, name, source, 0)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, isType := n.(*ast.TypeSpec); isType {
				if of, isStruct := spec.Type.(*ast.StructType); isStruct {
					s.types[spec.Name.Name] = of
				}
			}
			return true
		})
	}
	named := map[*ast.StructType]string{}
	for name, of := range s.types {
		named[of] = name
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			at := func() string { return set.Position(n.Pos()).String() }
			switch n := n.(type) {
			case *ast.StructType:
				if slices.Contains(of.Own, named[n]) || !exchanged(n) {
					return true
				}
				s.structs = append(s.structs, struct {
					name, at string
					node     *ast.StructType
				}{named[n], at(), n})
			case *ast.CompositeLit:
				if selected(n.Type, "url", "Values") {
					for _, element := range n.Elts {
						if pair, isPair := element.(*ast.KeyValueExpr); isPair {
							s.parameter(pair.Key, at())
						}
					}
				}
			case *ast.CallExpr:
				if call, isCall := n.Fun.(*ast.SelectorExpr); isCall && len(n.Args) == 2 && (call.Sel.Name == "Set" || call.Sel.Name == "Add") && !header(call.X) {
					s.parameter(n.Args[0], at())
				}
			}
			return true
		})
	}
	return s, nil
}

// header reports whether an expression is a header.
func header(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "Header"
	case *ast.Ident:
		return strings.EqualFold(x.Name, "header")
	}
	return false
}

func selected(x ast.Expr, of, name string) bool {
	s, isSelector := x.(*ast.SelectorExpr)
	if !isSelector {
		return false
	}
	from, isIdent := s.X.(*ast.Ident)
	return isIdent && from.Name == of && s.Sel.Name == name
}

// parameter adds the name of a parameter that the source states as a text.
func (s *scanned) parameter(x ast.Expr, at string) {
	literal, isLiteral := x.(*ast.BasicLit)
	if !isLiteral || literal.Kind != token.STRING {
		return
	}
	if text, err := strconv.Unquote(literal.Value); err == nil {
		s.parameters = append(s.parameters, struct{ text, at string }{text, at})
	}
}

// exchanged reports whether a struct is part of an exchange.
func exchanged(of *ast.StructType) bool {
	all, named := true, false
	for _, field := range of.Fields.List {
		if _, has := tag(field); has {
			return true
		}
		for _, name := range field.Names {
			all, named = all && name.IsExported(), true
		}
	}
	return all && named
}

// tag returns the JSON name of a field.
func tag(field *ast.Field) (name string, has bool) {
	if field.Tag == nil {
		return "", false
	}
	text, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return "", false
	}
	value, has := reflect.StructTag(text).Lookup("json")
	name, _, _ = strings.Cut(value, ",")
	return name, has
}

// deepest ends the fields of a struct that contains itself.
const deepest = 6

// fields returns what a struct reads, depth levels deep.
func (s *scanned) fields(of *ast.StructType, depth int) (all []definition.Field) {
	for _, field := range of.Fields.List {
		name, has := tag(field)
		if name == "-" {
			continue
		}
		kind, object := s.kind(field.Type)
		if len(field.Names) == 0 {
			if object == nil || has && name != "" {
				continue // of another package
			}
			all = append(all, s.fields(object, depth)...)
			continue
		}
		for _, own := range field.Names {
			if !own.IsExported() {
				continue
			}
			f := definition.Field{Name: name, Kind: kind}
			if name == "" {
				f.Name, f.Folds = own.Name, true
			}
			if object != nil && depth > 0 {
				f.Of = append([]definition.Field{}, s.fields(object, depth-1)...)
			}
			all = append(all, f)
		}
	}
	return all
}

// kind returns the JSON type of a Go type, or its struct.
func (s *scanned) kind(x ast.Expr) (string, *ast.StructType) {
	switch x := x.(type) {
	case *ast.StarExpr:
		return s.kind(x.X)
	case *ast.ArrayType:
		return s.kind(x.Elt)
	case *ast.StructType:
		return "", x
	case *ast.Ident:
		switch x.Name {
		case "string":
			return "string", nil
		case "bool":
			return "boolean", nil
		case "int", "int64", "float64":
			return "number", nil
		}
		if of := s.types[x.Name]; of != nil && exchanged(of) && s.together[x.Name] == nil {
			return "", of
		}
	case *ast.SelectorExpr:
		if selected(x, "json", "Number") {
			return "number", nil
		}
	}
	return "", nil
}
