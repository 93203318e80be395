package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"docledger/cmd/service"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"
	"docledger/usecase/entities"
	"docledger/usecase/organizations"
	"docledger/usecase/session"

	"github.com/google/uuid"
)

// localEmail is the address of the account that the installation itself keeps.
const localEmail = "local@example.com"

// seeds are what the sandbox starts with.
type seeds struct {
	organization uuid.UUID
	entity       uuid.UUID
	second       uuid.UUID
	email        string // address of the first entity
}

// seed signs the administrator in, as a person would, which brings the
// organization here; and creates two entities, or finds those that the data
// folder has from an earlier run.
func seed(ctx context.Context, s *service.Service) (seeds, error) {
	token, err := s.Session.Login(ctx, session.LoginInput{Email: loginEmail, Password: loginPassword, Address: "127.0.0.1"})
	if err != nil {
		return seeds{}, err
	}
	actor, err := s.Session.Authenticate(ctx, token.Token)
	if err != nil {
		return seeds{}, err
	}
	organization := actor.OrganizationID
	// A local account of the installation, in addition to those of the identity provider. An
	// earlier run may have left it in the data folder.
	_, _, err = s.Organizations.AddUser(ctx, organizations.AddUserInput{
		Email: localEmail, Name: "Local Example", Password: loginPassword, OrganizationID: organization, Role: identity.RoleMember,
	})
	if err != nil && fault.CodeOf(err) != fault.CodeConflict {
		return seeds{}, err
	}
	ids, err := oldestEntities(ctx, s, organization)
	if err != nil {
		return seeds{}, err
	}
	for _, name := range seededNames[min(len(ids), len(seededNames)):] {
		e, err := s.Entities.Create(ctx, identity.System(organization), entities.CreateInput{Values: entities.Values{Name: name}})
		if err != nil {
			return seeds{}, err
		}
		ids = append(ids, e.ID)
	}
	intake, err := s.Emails.Get(ctx, identity.System(organization), ids[0])
	if err != nil {
		return seeds{}, err
	}
	return seeds{organization: organization, entity: ids[0], second: ids[1], email: s.Emails.Address(intake)}, nil
}

// seededNames are the names of the two entities of the sandbox.
var seededNames = []string{"Sandbox Company", "Sandbox Subsidiary"}

// oldestEntities returns the ids of the two oldest entities, the oldest first;
// fewer if there are fewer.
func oldestEntities(ctx context.Context, s *service.Service, organization uuid.UUID) (ids []uuid.UUID, err error) {
	for p := (page.Request{Limit: page.MaxLimit}); ; {
		found, err := s.Entities.List(ctx, identity.System(organization).Scope(), entity.Filter{}, p)
		if err != nil {
			return nil, err
		}
		for _, e := range found.Items {
			ids = append(ids, e.ID)
		}
		ids = ids[max(0, len(ids)-len(seededNames)):]
		if p.After = found.Next; p.After == "" {
			slices.Reverse(ids) // the list is newest first
			return ids, nil
		}
	}
}

// addresses are where everything answers.
type addresses struct {
	base      string
	payments  string
	providers *simulators
	identity  *identityProvider
	metrics   string
	email     string // of the SMTP receiver
}

// announce waits until the service answers and then says how to reach it.
func announce(ctx context.Context, at addresses, envFile string, s seeds, ended <-chan struct{}) error {
	if err := untilReady(ctx, at.base, ended); err != nil {
		return err
	}
	if err := at.identity.announce(); err != nil {
		return fmt.Errorf("announce the organizations: %w", err)
	}
	host := at.identity.sim.Host()
	printed := [][2]string{
		{"BASE_URL", at.base}, {"DOCS_URL", at.base + "/docs"}, {"MCP_URL", at.base + "/mcp"}, {"METRICS_URL", at.metrics}, {"SMTP_URL", at.email}, {"ENTITY_EMAIL", s.email}, {"EMAIL_WEBHOOK_SECRET", emailWebhookSecret}, {"STRIPE_URL", at.payments},
	}
	return printSettings(envFile, slices.Concat(printed, at.providers.printed(), [][2]string{
		{"IDENTITY_URL", at.identity.sim.Origin()}, {"FAPI_HOST", host}, {"ACCOUNTS_HOST", host},
		{"OAUTH_CLIENT_ID", oauthClientID}, {"OAUTH_CLIENT_SECRET", at.identity.secret},
		{"LOGIN_EMAIL", loginEmail}, {"LOGIN_PASSWORD", loginPassword}, {"LOCAL_EMAIL", localEmail},
		{"ORGANIZATION_ID", s.organization.String()}, {"ENTITY_B_ID", s.second.String()}, {"ENTITY_ID", s.entity.String()},
	}))
}

// printSettings writes the settings as KEY=value lines to the file, if there is one, and prints
// them.
func printSettings(envFile string, settings [][2]string) error {
	var lines bytes.Buffer
	for _, kv := range settings {
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
