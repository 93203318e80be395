package erasure_test

import (
	"context"
	"testing"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/usecase/erasure"
)

type noUsers struct{ identity.Users }

func (noUsers) ByEmail(context.Context, string) (*identity.User, error) {
	return nil, fault.Missing("user")
}

type files struct {
	organization.Erasures
	cleaned int
}

func (f *files) Clean(context.Context) error {
	f.cleaned++
	return nil
}

// TestRepeatedErasureCleansTheFiles expects that the erasure of an account that no longer exists removes what the
// erasure before left in the log, while another process read the database.
func TestRepeatedErasureCleansTheFiles(t *testing.T) {
	t.Parallel()
	const address = "a@example.com"
	f := &files{}
	s := &erasure.Service{Users: noUsers{}, Erasures: f}
	if _, err := s.User(t.Context(), address, address); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("the erasure of no account returns %v", err)
	}
	if f.cleaned != 1 {
		t.Errorf("the files were cleaned %d times", f.cleaned)
	}
}
