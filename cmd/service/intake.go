package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"docledger/adapter/email"
	"docledger/adapter/folder"
	"docledger/adapter/store"
	domainbilling "docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/infrastructure/config"
	"docledger/usecase/emails"
	"docledger/usecase/folders"

	"github.com/google/uuid"
)

// newFolders builds the use case that receives the files of INTAKE_FOLDER.
func (s *Service) newFolders(plans domainbilling.Plans) *folders.Service {
	st := s.store
	return &folders.Service{Documents: s.Documents, Owners: st.Entities(), Plans: plans, Usage: st.Usage(), UnitOfWork: st, Clock: s.clock}
}

// receiveFiles receives the files of INTAKE_FOLDER until ctx ends. The returned function waits for the
// file that is being received.
func (s *Service) receiveFiles(ctx context.Context) (wait func()) {
	ctx, end := context.WithCancel(ctx)
	var running sync.WaitGroup
	if c := s.cfg.Intake; c.Folder != "" {
		f := folder.New(folder.Options{Path: c.Folder, Receiver: s.folders, MaxBytes: s.cfg.MaxUploadBytes, Settle: c.Settle, Keep: c.Keep, Log: s.log})
		running.Go(func() { f.Run(ctx) })
	}
	if s.cfg.Email.Mailbox.Host != "" {
		m := s.mailbox()
		running.Go(func() { m.Run(ctx) })
	}
	return func() { end(); running.Wait() }
}

// mailbox returns the reader of EMAIL_IMAP.
func (s *Service) mailbox() *email.Mailbox {
	o := mailboxOptions(s.cfg.Email.Mailbox)
	o.Receiver = &emails.Mailbox{Service: s.Emails, Owners: s.store.Entities(), Entity: s.cfg.Email.Mailbox.Entity}
	o.MaxBytes, o.TempDir, o.TLS, o.Log = s.cfg.Email.MaxBytes, s.cfg.DataDir, s.mailboxTLS, s.log
	return email.NewMailbox(o)
}

func mailboxOptions(c config.Mailbox) email.MailboxOptions {
	return email.MailboxOptions{Address: c.Host, StartTLS: c.StartTLS, User: c.User, Password: c.Password.Reveal, Name: c.Name, Every: c.Every}
}

// checkMailbox signs in to EMAIL_IMAP and opens the mailbox.
func checkMailbox(ctx context.Context, cfg config.Config) Finding {
	f := Finding{Subject: "mailbox", OK: "not used", Remedy: "check EMAIL_IMAP, and that this machine reaches the server"}
	if cfg.Email.Mailbox.Host == "" {
		return f
	}
	ctx, cancel := context.WithTimeout(ctx, partyTimeout)
	defer cancel()
	f.OK, f.Err = "signed in, mailbox opened", email.NewMailbox(mailboxOptions(cfg.Email.Mailbox)).Check(ctx)
	return f
}

// checkIntake checks that INTAKE_FOLDER can be changed and that its folders are those of entities.
func checkIntake(ctx context.Context, cfg config.Config) Finding {
	path := cfg.Intake.Folder
	f := Finding{Subject: "intake folder", OK: "not used", Remedy: "create INTAKE_FOLDER with a folder for each entity, named by its id, which the service can change"}
	if path == "" {
		return f
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		f.Err = err
		return f
	}
	known, unknown := 0, 0
	err = withStore(ctx, cfg, func(st *store.Store) error {
		for _, e := range entries {
			id, err := uuid.Parse(e.Name())
			if err != nil || !e.IsDir() {
				unknown++
				continue
			}
			switch _, err := st.Entities().GetForOperator(ctx, id); {
			case fault.CodeOf(err) == fault.CodeNotFound:
				unknown++
			case err != nil:
				return err
			default:
				known++
				if err := canChange(filepath.Join(path, e.Name())); err != nil {
					return err
				}
			}
		}
		return nil
	})
	f.OK, f.Err = fmt.Sprintf("%d folder(s) of entities", known), err
	if errors.Is(err, errNoDatabase) {
		f.Remedy = databaseFirst
	}
	if err == nil && (known == 0 || unknown > 0) {
		f.Warning = fmt.Sprintf("%s, %d other entries, which are ignored", f.OK, unknown)
	}
	return f
}

// canChange creates and removes a file in a folder.
func canChange(folder string) error {
	probe, err := os.CreateTemp(folder, ".docledger-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
