package accountingtest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/integration"
)

var newcomer = accounting.NewContact{
	Name: "Gamma & Søns 'Ltd'", TaxID: "GB123456789", Email: "bills@gamma.example",
	Address: accounting.ContactAddress{Line1: "1 High Street", City: "Leeds", PostalCode: "LS1 1AA", Country: "GB"},
}

func (x *till) named(t testing.TB, name string) (found []accounting.Contact) {
	t.Helper()
	for _, c := range must[[]accounting.Contact](t)(x.Contacts.Contacts(context.Background(), x.a)) {
		if c.Name == name {
			found = append(found, c)
		}
	}
	return found
}

func testContactCreated(t *testing.T, x *till) {
	ctx := context.Background()
	c := newcomer
	c.Currency = x.currency
	got := must[accounting.Contact](t)(x.ContactCreator.CreateContact(ctx, x.a, c, "contact-1"))
	if got.ID == "" || got.Name != c.Name || got.State != accounting.InUse {
		t.Errorf("created %+v", got)
	}
	if again := must[accounting.Contact](t)(x.ContactCreator.CreateContact(ctx, x.a, c, "contact-1")); again.ID != got.ID {
		t.Errorf("created %s and %s with one key", got.ID, again.ID)
	}
	if found := x.named(t, c.Name); len(found) != 1 || found[0].ID != got.ID || found[0].TaxID != c.TaxID || found[0].Email != c.Email {
		t.Errorf("the list shows %+v", found)
	}
	b := x.bill("R-1")
	b.Contact = got.ID
	x.book(t, b)
}

func testContactLost(t *testing.T, x *till) {
	ctx := context.Background()
	x.Break(CallCreateContact, AnswerLost, 1)
	_, err := x.ContactCreator.CreateContact(ctx, x.a, newcomer, "contact-1")
	x.Repair()
	if !accounting.Uncertain(err) {
		t.Errorf("%v is not uncertain", err)
	}
	if found := x.named(t, newcomer.Name); len(found) != 1 {
		t.Errorf("the list shows %+v", found)
	}
}

func testContactTaken(t *testing.T, x *till) {
	c := newcomer
	c.Name = "Alpha Supplies"
	_, err := x.ContactCreator.CreateContact(context.Background(), x.a, c, "contact-1")
	wantRefusal(t, "a name that is taken", err, accounting.CodeContactNameTaken)
	if found := x.named(t, c.Name); len(found) != 1 || found[0].ID != x.contact || found[0].TaxID != "DE136695976" {
		t.Errorf("the list shows %+v", found)
	}
}

func pdf(size int) accounting.File {
	content := append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("x"), size-9)...)
	return accounting.File{
		Filename: "Rechnung №1/2026.pdf", MediaType: "application/pdf", SizeBytes: int64(size), Content: bytes.NewReader(content),
	}
}

func (x *till) attachments(t testing.TB, b accounting.LedgerBill) (names []string) {
	t.Helper()
	list := must[[]accounting.Attachment](t)(x.Attacher.Attachments(context.Background(), x.a, b.Kind, b.ID))
	for _, f := range list {
		names = append(names, f.Filename)
	}
	return names
}

func testAttach(t *testing.T, x *till) {
	for _, b := range []accounting.Bill{x.bill("R-1"), x.credit("C-1")} {
		booked := x.book(t, b)
		if names := x.attachments(t, booked); len(names) != 0 {
			t.Errorf("%s: %v hang there before", b.Kind, names)
		}
		f := pdf(5000)
		got := must[accounting.Attachment](t)(x.Attacher.Attach(context.Background(), x.a, b.Kind, booked.ID, f))
		if got.SizeBytes != f.SizeBytes || got.Filename != x.Attacher.AttachmentName(f.Filename) {
			t.Errorf("%s: attached %+v", b.Kind, got)
		}
		if names := x.attachments(t, booked); !slices.Equal(names, []string{got.Filename}) {
			t.Errorf("%s: %v hang there", b.Kind, names)
		}
	}
	for _, held := range x.Bills(x.tenant) {
		if len(held.Files) != 1 {
			t.Errorf("the ledger holds %v on %s", held.Files, held.Number)
		}
	}
}

func testAttachLost(t *testing.T, x *till) {
	booked := x.book(t, x.bill("R-1"))
	x.Break(CallAttach, AnswerLost, 1)
	_, err := x.Attacher.Attach(context.Background(), x.a, booked.Kind, booked.ID, pdf(500))
	x.Repair()
	if !accounting.Uncertain(err) {
		t.Errorf("%v is not uncertain", err)
	}
	if names := x.attachments(t, booked); !slices.Equal(names, []string{x.Attacher.AttachmentName(pdf(500).Filename)}) {
		t.Errorf("%v hang there", names)
	}
}

func testAttachRefused(t *testing.T, x *till) {
	booked := x.book(t, x.bill("R-1"))
	limits := x.Attacher.AttachmentLimits()
	if limits.MaxBytes <= 0 || !slices.Contains(limits.MediaTypes, "application/pdf") {
		t.Fatalf("limits %+v", limits)
	}
	big := pdf(1000)
	big.SizeBytes = limits.MaxBytes + 1
	wrong := pdf(1000)
	wrong.Filename, wrong.MediaType = "program.exe", "application/x-msdownload"
	for name, f := range map[string]accounting.File{"too big": big, "wrong type": wrong} {
		_, err := x.Attacher.Attach(context.Background(), x.a, booked.Kind, booked.ID, f)
		wantRefusal(t, name, err, accounting.CodeAttachmentRefused)
	}
	if names := x.attachments(t, booked); len(names) != 0 {
		t.Errorf("%v hang there", names)
	}
}

// testBookingOutages combines every call of BillCreator with every failure.
func testBookingOutages(t *testing.T, x *till) {
	booked := x.book(t, x.bill("R-1"))
	b := x.bill("R-2")
	for call, do := range map[Call]func(ctx context.Context) error{
		CallRules: func(ctx context.Context) error { _, err := x.Booker.Rules(ctx, x.a); return err },
		CallBook:  func(ctx context.Context) error { _, err := x.Booker.CreateBill(ctx, x.a, b, "key-2"); return err },
		CallFind:  func(ctx context.Context) error { _, err := x.Booker.Find(ctx, x.a, x.wanted(b)); return err },
		CallReadBill: func(ctx context.Context) error {
			_, err := x.Booker.Read(ctx, x.a, booked.Kind, booked.ID)
			return err
		},
		CallCreateContact: func(ctx context.Context) error {
			_, err := x.ContactCreator.CreateContact(ctx, x.a, newcomer, "contact-1")
			return err
		},
		CallAttach: func(ctx context.Context) error {
			_, err := x.Attacher.Attach(ctx, x.a, booked.Kind, booked.ID, pdf(100))
			return err
		},
		CallAttachments: func(ctx context.Context) error {
			_, err := x.Attacher.Attachments(ctx, x.a, booked.Kind, booked.ID)
			return err
		},
	} {
		for _, f := range []Failure{Status500, Status503, Dropped} {
			x.Break(call, f, 20)
			err := do(context.Background())
			x.Repair()
			wantUnavailable(t, string(call)+" meets "+string(f), err)
			if !accounting.Uncertain(err) {
				t.Errorf("%s meets %s: %v is not uncertain", call, f, err)
			}
			if err != nil && holds(err.Error(), x.a.Token) {
				t.Errorf("%s meets %s: the error shows the token", call, f)
			}
		}
		x.Break(call, Status429, 20)
		err := do(context.Background())
		x.Repair()
		if f, ok := fault.As(err); !ok || !errors.Is(err, integration.ErrRateLimited) || f.RetryAfter <= 0 || accounting.Uncertain(err) {
			t.Errorf("%s meets too many: %v", call, err)
		}
		x.Break(call, Status401, 20)
		err = do(context.Background())
		x.Repair()
		if !errors.Is(err, integration.ErrAccessRefused) || accounting.Uncertain(err) {
			t.Errorf("%s meets a refused token: %v", call, err)
		}
	}
}
