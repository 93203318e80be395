package main

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"docledger/adapter/httpapi/spectest"
	"docledger/openapi"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	seen := map[string]map[string]bool{"A.two": {"1": true, "2": true}, "A.one": {"1": true}, "A.more": {"1": true, "2": true}}
	fields := []string{"A.two", "A.one", "A.none", "A.more", "A.excepted"}
	got := judge(fields, seen, map[string]string{"A.excepted": "comes later", "A.more": "constant", "A.gone": "", "A.none": "unreachable"})
	want := []string{
		"A.gone is an exception and not a field", "A.gone is an exception without a reason",
		"A.more is an exception and has several values: remove it from the exceptions",
		"A.one had 1 values: implement it, test it, or remove it",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("judge says %q, want %q", got, want)
	}
	many := map[string]string{}
	var names []string
	for i := range maxExceptions + 1 {
		names = append(names, fmt.Sprint(i))
		many[fmt.Sprint(i)] = "because"
	}
	if got := judge(names, nil, many); len(got) != 1 {
		t.Errorf("with too many exceptions judge says %q", got)
	}
}

// TestExceptions holds the exceptions to what can be known without answers.
func TestExceptions(t *testing.T) {
	t.Parallel()
	doc, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	fields := spectest.Fields(doc, excepted)
	for _, known := range []string{"Invoice.status", "Party.name", "ErrorDetails.request_id", "FieldError.reason", "EventActor.client_id", "Evidence.confidence"} {
		if !slices.Contains(fields, known) {
			t.Errorf("%s is not among the %d fields", known, len(fields))
		}
	}
	for field, reason := range exceptions {
		if !slices.Contains(fields, field) || reason == "" {
			t.Errorf("%s is no field, or has no reason", field)
		}
	}
	if len(exceptions) > maxExceptions {
		t.Errorf("%d exceptions", len(exceptions))
	}
}
