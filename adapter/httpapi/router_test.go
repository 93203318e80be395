package httpapi

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/webhook"
	"docledger/domain/identity"
)

type noCredential struct{}

func (noCredential) Authenticate(context.Context, string) (identity.Actor, error) {
	return identity.Actor{}, nil
}

func TestRoutesAreThoseOfTheSpecification(t *testing.T) {
	t.Parallel()
	engine, err := newEngine(&Server{}, edge.Options{Authenticator: noCredential{}}, func(context.Context) ([]string, error) { return nil, nil },
		new(webhook.Receiver).Register)
	if err != nil {
		t.Fatal(err)
	}
	differences, err := edge.RouteDifferences(engine.Routes())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		t.Error(d)
	}
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "Outside `/api` there are these routes and no others:")
	list, _, _ = strings.Cut(list, "\n")
	var listed []string
	for _, m := range regexp.MustCompile("`(/[^`]*)`").FindAllStringSubmatch(list, -1) {
		listed = append(listed, m[1])
	}
	for _, r := range engine.Routes() {
		first := "/" + strings.Split(r.Path, "/")[1]
		if first != "/api" && !slices.ContainsFunc(listed, func(l string) bool { return "/"+strings.Split(l, "/")[1] == first }) {
			t.Errorf("docs/api.md does not list %s %s", r.Method, r.Path)
		}
	}
}
