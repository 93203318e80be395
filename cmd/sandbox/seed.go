package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"docledger/cmd/service"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"
	"docledger/usecase/entities"
	"docledger/usecase/organizations"

	"github.com/google/uuid"
)

// The seeded account. The sandbox listens on the loopback address alone, so
// its password is no secret.
const (
	loginEmail    = "ada@example.com"
	loginPassword = "sandbox-password"
)

// seeds are what the sandbox starts with.
type seeds struct {
	organization uuid.UUID
	entity       uuid.UUID
}

// seed makes the organization, its administrator and an entity, unless the
// data folder has them from an earlier run.
func seed(ctx context.Context, s *service.Service) (seeds, error) {
	found, err := s.Organizations.List(ctx)
	if err != nil {
		return seeds{}, err
	}
	if len(found) > 0 {
		return existing(ctx, s, found[0].ID)
	}
	o, err := s.Organizations.Create(ctx, "Sandbox Organization")
	if err != nil {
		return seeds{}, err
	}
	u, err := s.Organizations.AddUser(ctx, organizations.AddUserInput{
		Email: loginEmail, Name: "Ada Example", Password: loginPassword, OrganizationID: o.ID, Role: identity.RoleAdmin,
	})
	if err != nil {
		return seeds{}, err
	}
	admin := identity.Actor{Type: identity.ActorUser, UserID: u.ID, OrganizationID: o.ID, Role: identity.RoleAdmin}
	e, err := s.Entities.Create(ctx, admin, entities.CreateInput{Values: entities.Values{Name: "Sandbox Company"}})
	if err != nil {
		return seeds{}, err
	}
	return seeds{organization: o.ID, entity: e.ID}, nil
}

func existing(ctx context.Context, s *service.Service, organization uuid.UUID) (seeds, error) {
	all := identity.System(organization).Scope()
	after := ""
	for {
		found, err := s.Entities.List(ctx, all, page.Request{Limit: page.MaxLimit, After: after})
		if err != nil {
			return seeds{}, err
		}
		if after = found.Next; after == "" {
			if len(found.Items) == 0 {
				return seeds{}, fault.New(fault.Conflict, fault.CodeConflict,
					"the data folder holds an organization without an entity; start with an empty folder")
			}
			// The list is newest first: the seeded entity is the oldest.
			return seeds{organization: organization, entity: found.Items[len(found.Items)-1].ID}, nil
		}
	}
}

// announce waits until the service answers and then says how to reach it.
func announce(ctx context.Context, baseURL, envFile string, s seeds, ended <-chan struct{}) error {
	if err := untilReady(ctx, baseURL, ended); err != nil {
		return err
	}
	var lines bytes.Buffer
	for _, kv := range [][2]string{
		{"BASE_URL", baseURL}, {"DOCS_URL", baseURL + "/docs"},
		{"LOGIN_EMAIL", loginEmail}, {"LOGIN_PASSWORD", loginPassword},
		{"ORGANIZATION_ID", s.organization.String()}, {"ENTITY_ID", s.entity.String()},
	} {
		fmt.Fprintf(&lines, "%s=%s\n", kv[0], kv[1])
	}
	if envFile != "" {
		if err := writeWhole(envFile, lines.Bytes()); err != nil {
			return fmt.Errorf("write --env-file: %w", err)
		}
	}
	_, err := fmt.Fprintf(os.Stdout, "docledger sandbox ready\n%s", lines.String())
	return err
}

func untilReady(ctx context.Context, baseURL string, ended <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, baseURL+"/readyz", nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-ended:
			return errors.New("the service ended before it answered")
		case <-ctx.Done():
			return fmt.Errorf("the service does not answer: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
