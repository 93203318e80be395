package faults

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"docledger/adapter/store/transfer"
	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/infrastructure/config"
	"docledger/test/lib/postgres"
	"docledger/usecase/documents"
	"docledger/usecase/entities"
	"docledger/usecase/organizations"

	"github.com/google/uuid"
)

// eraseEnv makes the child erase an organization, as `docledger organization erase` does.
const eraseEnv = "DOCLEDGER_FAULTS_ERASE"

const (
	// longestErasure is the maximum lifetime of an erasure that is killed for the first time.
	longestErasure = 60 * time.Millisecond
	// killsPerErasure is about how often an erasure is killed.
	killsPerErasure = 3
)

func eraseOrganization(ctx context.Context, cfg config.Config, id string) error {
	s, err := service.Open(ctx, cfg, slog.New(slog.DiscardHandler), service.Overrides{})
	if err != nil {
		return err
	}
	fmt.Println("begins")
	_, err = s.Erasure.Organization(ctx, uuid.MustParse(id), erased)
	return errors.Join(err, s.Close())
}

const erased = "Erased"

// TestKilledErasureLeavesNothingHalf kills the service and the erasure of an organization. After each
// kill every document is complete or gone. The erasure that is repeated leaves nothing, and
// changes nothing of another organization.
func TestKilledErasureLeavesNothingHalf(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) { erasing(t, "") })
	t.Run("postgres", func(t *testing.T) { erasing(t, postgres.New(t)) })
}

func erasing(t *testing.T, databaseURL string) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	p := newProduct(t, databaseURL)
	state := p.openState()
	r := p.start()
	kept := state.originals(p.uploadAll(r, "K"))
	r.kill()
	interrupted := 0
	rounds := max(2, kills(t)/killsPerErasure)
	for round := range rounds {
		organization, ids := p.addErased(round)
		r := p.start()
		p.endedAll(state, ids)
		all := state.originals(ids)
		for running, life := true, longestErasure; running; life += longestErasure / 4 { // a busy machine needs longer
			running = p.killErasure(organization, time.Duration(draw.Int64N(int64(life))))
			r.kill()
			state.wholeOrErased(p, all)
			if running {
				interrupted++
			}
			r = p.start()
		}
		if p.killErasure(organization, patience) {
			t.Fatal("the erasure does not end")
		}
		state.nothingLeft(p, organization, all)
		r.kill()
	}
	if gone := state.wholeOrGone(p, kept); len(gone) > 0 {
		t.Errorf("documents of another organization are gone: %v", gone)
	}
	r = p.start()
	for _, o := range kept {
		p.get(r, "/api/documents/"+o.document)
	}
	t.Logf("%d erasures, %d interruptions", rounds, interrupted)
}

// addErased creates an organization with documents, of which the first has the bytes of a document of
// another organization.
func (p *product) addErased(round int) (organization uuid.UUID, ids []string) {
	p.t.Helper()
	cfg, err := service.ConfiguredFrom(func(name string) (string, bool) { v, ok := p.env[name]; return v, ok })
	p.must(err)
	ctx := context.Background()
	s, err := service.Open(ctx, cfg, slog.New(slog.DiscardHandler), service.Overrides{})
	p.must(err)
	u, organization, err := s.Organizations.AddUser(ctx, organizations.AddUserInput{
		Email: fmt.Sprintf("erased-%d@example.com", round), Password: password, NewOrganization: erased, Role: identity.RoleAdmin,
	})
	p.must(err)
	admin := identity.Actor{Type: identity.ActorUser, UserID: u.ID, OrganizationID: organization, Role: identity.RoleAdmin}
	e, err := s.Entities.Create(ctx, admin, entities.CreateInput{Values: entities.Values{Name: erased}})
	p.must(err)
	for n := range deletable {
		number := fmt.Sprintf("E-%d-%d", round, n)
		if n == 0 {
			number = "K-0"
		}
		content, _ := sample(n, number)
		d, err := s.Documents.Upload(ctx, admin, documents.UploadInput{EntityID: e.ID, Filename: "f", Content: bytes.NewReader(content)})
		p.must(err)
		ids = append(ids, d.ID.String())
	}
	p.must(s.Close())
	return organization, ids
}

// killErasure erases the organization and kills the process after a time. It reports whether the
// process was still running.
func (p *product) killErasure(organization uuid.UUID, life time.Duration) bool {
	p.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1", eraseEnv+"="+organization.String())
	for name, v := range p.env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	cmd.Stderr = p.log
	out, err := cmd.StdoutPipe()
	p.must(err)
	p.must(cmd.Start())
	lines := bufio.NewReader(out)
	_, err = lines.ReadString('\n')
	p.must(err)
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, lines) // until the process ends
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(life):
		_ = cmd.Process.Kill() // it may just have ended
		<-ended
	}
	err = cmd.Wait()
	if err != nil && cmd.ProcessState.Exited() {
		p.t.Fatalf("the erasure fails: %v", err)
	}
	return err != nil
}

// endedAll waits until every document was read.
func (p *product) endedAll(s *state, ids []string) {
	p.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); s.count("documents", "id IN ? AND status IN ('UPLOADED', 'PROCESSING')", ids) > 0; <-tick.C {
		if time.Since(began) > patience {
			p.t.Fatal("the documents are not read")
		}
	}
}

// wholeOrErased verifies that each document is complete or erased.
func (s *state) wholeOrErased(p *product, all []original) {
	p.t.Helper()
	files := p.files()
	for _, o := range all {
		documents, invoices := s.count("documents", "id IN ?", o.documents), s.count("invoices", "id IN ?", o.invoices)
		switch {
		case documents == len(o.documents) && invoices == len(o.invoices):
			if !files[o.sha256] {
				p.t.Errorf("the bytes of document %s are missing", o.document)
			}
		case documents == 0 && invoices == 0:
			if files[o.sha256] && s.count("blob_removals", "sha256 = ? AND state IN ('PENDING', 'REMOVING')", o.sha256) == 0 && s.count("documents", "sha256 = ?", o.sha256) == 0 {
				p.t.Errorf("the bytes of the erased document %s remain", o.document)
			}
		default:
			p.t.Errorf("of document %s, %d of %d documents and %d of %d invoices exist", o.document, documents, len(o.documents), invoices, len(o.invoices))
		}
	}
}

// nothingLeft verifies that nothing of an organization is left after its erasure.
func (s *state) nothingLeft(p *product, organization uuid.UUID, all []original) {
	p.t.Helper()
	for _, t := range transfer.OwnedTables() {
		if n := s.count(t.Table, t.Condition, organization); n > 0 {
			p.t.Errorf("%d rows of the erased organization remain in %s", n, t.Table)
		}
	}
	if n := s.count("erasures", "organization_id = ? AND finished_at IS NOT NULL", organization); n != 1 {
		p.t.Error("the erasure has no proof")
	}
	if n := s.count("users", "email LIKE 'erased-%'"); n > 0 {
		p.t.Errorf("%d accounts of the erased organization remain", n)
	}
	files, ids := p.files(), []string(nil)
	for _, o := range all {
		ids = append(ids, slices.Concat(o.documents, o.invoices)...)
		if used := s.count("documents", "sha256 = ?", o.sha256) > 0; files[o.sha256] != used {
			p.t.Errorf("the bytes of the erased document %s exist: %t, used by another organization: %t", o.document, files[o.sha256], used)
		}
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); s.jobs(ids) > 0; <-tick.C {
		if time.Since(began) > patience {
			p.t.Fatalf("%d jobs of the erased organization remain", s.jobs(ids))
		}
	}
}
