package ledgersync

import (
	"strings"
	"testing"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/entity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

func dec(s string) money.Decimal { return money.MustParse(s) }

func opt(s string) *money.Decimal {
	if s == "" {
		return nil
	}
	d := dec(s)
	return &d
}

func wantCode(t *testing.T, err error, code accounting.Code) {
	t.Helper()
	if code == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	if r, ok := accounting.RefusalOf(err); !ok || r.Code != code {
		t.Errorf("%v, want %s", err, code)
	}
}

// longName is longer than a ledger stores.
var longName = strings.Repeat("Long name ", 12)

func TestFindContact(t *testing.T) {
	t.Parallel()
	contacts := []accounting.Contact{
		{ID: "1", Name: "Alpha GmbH", TaxID: "DE 136 695 976", State: accounting.InUse},
		{ID: "2", Name: "Beta", BankAccount: "DE89 3704 0044 0532 0130 00", State: accounting.InUse},
		{ID: "3", Name: "Gamma, Inc.", State: accounting.InUse},
		{ID: "4", Name: "Delta", TaxID: "DE111111111", State: accounting.InUse},
		{ID: "5", Name: "Twin", State: accounting.InUse},
		{ID: "6", Name: "TWIN", State: accounting.InUse},
		{ID: "7", Name: "Gone", State: accounting.Archived},
		{ID: "8", Name: "One", TaxID: "FR40303265045", State: accounting.InUse},
		{ID: "9", Name: "Two", TaxID: "40303265045", State: accounting.InUse},
		{ID: "10", Name: accounting.ShortName(longName+" North", longName+" North", 100), State: accounting.InUse},
	}
	for name, tt := range map[string]struct {
		seller     invoice.Party
		iban       string
		chosen     string
		remembered string
		want       string
		code       accounting.Code
	}{
		"tax id":                 {seller: invoice.Party{Name: "Other", TaxID: "136695976"}, want: "1"},
		"long name":              {seller: invoice.Party{Name: longName + " NORTH"}, want: "10"},
		"same beginning":         {seller: invoice.Party{Name: longName + " South"}},
		"bank account":           {seller: invoice.Party{Name: "Other"}, iban: "DE89370400440532013000", want: "2"},
		"name":                   {seller: invoice.Party{Name: "GAMMA INC"}, want: "3"},
		"trading name":           {seller: invoice.Party{Name: "G Holding", TradingName: "Gamma Inc"}, want: "3"},
		"namesake":               {seller: invoice.Party{Name: "Delta", TaxID: "DE136695977"}, want: ""},
		"namesake by account":    {seller: invoice.Party{Name: "Alpha GmbH", TaxID: "FR1"}, want: ""},
		"two by name":            {seller: invoice.Party{Name: "Twin"}, code: accounting.CodeContactAmbiguous},
		"two by tax id":          {seller: invoice.Party{TaxID: "FR 40 303 265 045"}, code: accounting.CodeContactAmbiguous},
		"archived":               {seller: invoice.Party{Name: "Gone"}, code: accounting.CodeContactUnusable},
		"unknown name":           {seller: invoice.Party{Name: "New"}, want: ""},
		"no name at all":         {want: ""},
		"chosen":                 {seller: invoice.Party{Name: "Twin"}, chosen: "6", want: "6"},
		"chosen is archived":     {chosen: "7", code: accounting.CodeContactUnusable},
		"chosen is gone":         {chosen: "99", code: accounting.CodeContactUnusable},
		"remembered":             {seller: invoice.Party{Name: "Twin"}, remembered: "5", want: "5"},
		"remembered is gone":     {seller: invoice.Party{Name: "Gamma Inc"}, remembered: "99", want: "3"},
		"chosen over remembered": {chosen: "6", remembered: "5", want: "6"},
	} {
		inv := &invoice.Invoice{ContactID: tt.chosen}
		inv.Seller, inv.Payment.IBAN = tt.seller, tt.iban
		c, ok, err := FindContact(inv, tt.remembered, contacts)
		t.Run(name, func(t *testing.T) {
			wantCode(t, err, tt.code)
			if c.ID != tt.want || ok != (tt.want != "") {
				if tt.code == "" {
					t.Errorf("found %q (%v), want %q", c.ID, ok, tt.want)
				}
			}
			if r, is := accounting.RefusalOf(err); is && tt.code == accounting.CodeContactAmbiguous && len(r.Candidates) != 2 {
				t.Errorf("candidates %+v", r.Candidates)
			}
		})
	}
	if _, err := NewContact(&invoice.Invoice{}); err == nil {
		t.Error("a supplier without a name is added")
	}
}

func testLedger() Ledger {
	return Ledger{
		Rules: accounting.Rules{BaseCurrency: "EUR", Currencies: []string{"EUR", "USD"}, HasTax: true, Decimals: 2},
		Accounts: []accounting.Account{
			{ID: "a1", Name: "Office", State: accounting.InUse}, {ID: "a2", Name: "Travel", State: accounting.InUse},
			{ID: "old", Name: "Old", State: accounting.Archived}, {ID: "np", Name: "Memo", Class: accounting.NonPosting, State: accounting.InUse},
		},
		TaxRates: []accounting.TaxRate{
			{ID: "t20", Name: "Twenty", Rate: dec("20"), Purchases: true, State: accounting.InUse},
			{ID: "s20", Name: "Twenty on sales", Rate: dec("20"), State: accounting.InUse},
			{ID: "t5", Name: "Five", Rate: dec("5.00"), Purchases: true, State: accounting.InUse},
			{ID: "t5b", Name: "Five again", Rate: dec("5"), Purchases: true, State: accounting.InUse},
			{ID: "t7", Name: "Seven", Rate: dec("7"), Purchases: true, State: accounting.Archived},
			{ID: "t0", Name: "Exempt", Rate: dec("0"), Purchases: true, State: accounting.InUse},
		},
	}
}

func line(net, rate string) invoice.Line {
	return invoice.Line{ID: uuid.New(), Description: "Thing", NetAmount: opt(net), TaxRate: opt(rate), TaxCategory: "S"}
}

// order returns an order of 100.00 and 20.00 tax.
func order() Order {
	inv := &invoice.Invoice{ID: uuid.MustParse("01970000-0000-7000-8000-000000000001")}
	inv.Type, inv.Number, inv.Currency = invoice.TypeInvoice, "R-1", "EUR"
	inv.IssueDate = calendar.Date{Year: 2026, Month: 11, Day: 3}
	inv.Lines = []invoice.Line{line("100.00", "20")}
	inv.NetTotal, inv.TaxTotal, inv.GrossTotal = opt("100.00"), opt("20.00"), opt("120.00")
	return Order{
		Invoice: inv, Contact: "c", Ledger: testLedger(), PaysTax: true,
		Settings: &entity.Settings{DefaultAccountID: "a1", BillStatus: entity.BillDraft},
	}
}

func TestCoding(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change        func(*Order)
		account, rate string
		source        invoice.CodingSource
		code          accounting.Code
	}{
		"defaults":            {change: func(o *Order) {}, account: "a1", rate: "t20", source: invoice.CodedByDefault},
		"no account":          {change: func(o *Order) { o.Settings.DefaultAccountID = "" }, code: accounting.CodeAccountMissing},
		"archived account":    {change: func(o *Order) { o.Settings.DefaultAccountID = "old" }, code: accounting.CodeAccountUnusable},
		"unsupported account": {change: func(o *Order) { o.Settings.DefaultAccountID = "np" }, code: accounting.CodeAccountUnusable},
		"unknown account":     {change: func(o *Order) { o.Settings.DefaultAccountID = "zz" }, code: accounting.CodeAccountUnusable},
		"supplier's account":  {change: func(o *Order) { o.Coding.AccountID = "a2" }, account: "a2", rate: "t20", source: invoice.CodedBySupplier},
		"person's account": {change: func(o *Order) {
			o.Coding.AccountID = "a2"
			o.Invoice.Lines[0].AccountID, o.Invoice.Lines[0].AccountSource = "a1", invoice.CodedByHuman
		}, account: "a1", rate: "t20", source: invoice.CodedByHuman},
		"a default of yesterday": {change: func(o *Order) {
			o.Invoice.Lines[0].AccountID, o.Invoice.Lines[0].AccountSource = "old", invoice.CodedByDefault
		}, account: "a1", rate: "t20", source: invoice.CodedByDefault},
		"default rate of another percentage": {change: func(o *Order) { o.Settings.DefaultTaxRateID = "t0" }, account: "a1", rate: "t20", source: invoice.CodedByDefault},
		"mapped rate": {change: func(o *Order) {
			o.Settings.TaxMappings = []entity.TaxMapping{{Category: "S", Rate: "20.0", TaxRateID: "t0"}}
		}, account: "a1", rate: "t0", source: invoice.CodedByDefault},
		"mapping of another category": {change: func(o *Order) {
			o.Settings.TaxMappings = []entity.TaxMapping{{Category: "AE", Rate: "20", TaxRateID: "t0"}}
		}, account: "a1", rate: "t20", source: invoice.CodedByDefault},
		"supplier's rate": {change: func(o *Order) {
			o.Coding.TaxRates = []entity.TaxMapping{{Category: "S", Rate: "20", TaxRateID: "t0"}}
		}, account: "a1", rate: "t0", source: invoice.CodedByDefault},
		"mapped to a rate that is gone": {change: func(o *Order) {
			o.Settings.TaxMappings = []entity.TaxMapping{{Category: "S", Rate: "20", TaxRateID: "t7"}}
		}, code: accounting.CodeTaxRateUnusable},
		"mapped to a rate of sales": {change: func(o *Order) {
			o.Settings.TaxMappings = []entity.TaxMapping{{Category: "S", Rate: "20", TaxRateID: "s20"}}
		}, code: accounting.CodeTaxRateUnusable},
		"several rates fit":             {change: func(o *Order) { o.Invoice.Lines[0].TaxRate = opt("5") }, code: accounting.CodeTaxRateAmbiguous},
		"several fit, one is default":   {change: fivePercent("t5b"), account: "a1", rate: "t5b", source: invoice.CodedByDefault},
		"no rate fits":                  {change: func(o *Order) { o.Invoice.Lines[0].TaxRate = opt("19") }, code: accounting.CodeTaxRateMissing},
		"only an archived one fits":     {change: func(o *Order) { o.Invoice.Lines[0].TaxRate = opt("7") }, code: accounting.CodeTaxRateMissing},
		"no rate stated":                {change: func(o *Order) { o.Invoice.Lines[0].TaxRate = nil }, code: accounting.CodeTaxRateMissing},
		"no rate stated, but a default": {change: noRate("t20"), account: "a1", rate: "t20", source: invoice.CodedByDefault},
		"organization pays no tax":      {change: func(o *Order) { o.PaysTax = false }, account: "a1", rate: "", source: invoice.CodedByDefault},
		"no such currency":              {change: func(o *Order) { o.Invoice.Currency = "GBP" }, code: accounting.CodeCurrency},
		"no number":                     {change: func(o *Order) { o.Invoice.Number = "" }, code: accounting.CodeIncomplete},
		"no date":                       {change: func(o *Order) { o.Invoice.IssueDate = calendar.Date{} }, code: accounting.CodeIncomplete},
		"no amounts": {change: func(o *Order) {
			o.Invoice.Content = invoice.Content{Number: "1", Currency: "EUR", IssueDate: o.Invoice.IssueDate}
		}, code: accounting.CodeIncomplete},
		"closed period": {change: func(o *Order) { o.Ledger.Rules.ClosedUntil = o.Invoice.IssueDate }, code: accounting.CodePeriodClosed},
		"closed, but posted later": {change: func(o *Order) {
			o.Ledger.Rules.ClosedUntil = o.Invoice.IssueDate
			o.Invoice.PostingDate = calendar.Date{Year: 2026, Month: 11, Day: 4}
		}, account: "a1", rate: "t20", source: invoice.CodedByDefault},
	} {
		t.Run(name, func(t *testing.T) {
			o := order()
			tt.change(&o)
			b, err := o.Bill()
			wantCode(t, err, tt.code)
			if err != nil {
				if r, _ := accounting.RefusalOf(err); r.Code == accounting.CodeTaxRateAmbiguous && len(r.Candidates) != 2 {
					t.Errorf("candidates %+v", r.Candidates)
				}
				return
			}
			if b.Lines[0].Account != tt.account || b.Lines[0].TaxRate != tt.rate {
				t.Errorf("booked under %q at %q, want %q at %q", b.Lines[0].Account, b.Lines[0].TaxRate, tt.account, tt.rate)
			}
			if l := o.Invoice.Lines[0]; l.AccountID != tt.account || l.AccountSource != tt.source {
				t.Errorf("the line says %q by %s, want %q by %s", l.AccountID, l.AccountSource, tt.account, tt.source)
			}
		})
	}
}

func fivePercent(byDefault string) func(*Order) {
	return func(o *Order) {
		o.Settings.DefaultTaxRateID = byDefault
		o.Invoice.Lines[0].TaxRate, o.Invoice.TaxTotal, o.Invoice.GrossTotal = opt("5"), opt("5.00"), opt("105.00")
	}
}

func noRate(byDefault string) func(*Order) {
	return func(o *Order) {
		o.Settings.DefaultTaxRateID = byDefault
		o.Invoice.Lines[0].TaxRate, o.Invoice.TaxTotal, o.Invoice.GrossTotal = nil, opt("0.00"), opt("100.00")
	}
}

func TestLearnedCodingIsAppliedNextTime(t *testing.T) {
	t.Parallel()
	o := order()
	o.Invoice.Lines = []invoice.Line{line("10.00", "20"), line("90.00", "20")}
	o.Invoice.Lines[1].AccountID, o.Invoice.Lines[1].AccountSource = "a2", invoice.CodedByHuman
	o.Invoice.Lines[1].TaxRateID, o.Invoice.Lines[1].TaxSource = "t0", invoice.CodedByHuman
	if _, err := o.Bill(); err != nil {
		t.Fatal(err)
	}
	learned := Coding{TaxRates: []entity.TaxMapping{{Category: "S", Rate: "20.00", TaxRateID: "before"}}}.Learn(o.Invoice, "c9")
	if learned.ContactID != "c9" || learned.AccountID != "a2" || len(learned.TaxRates) != 1 || learned.TaxRates[0].TaxRateID != "t0" {
		t.Fatalf("learned %+v", learned)
	}
	next := order().Invoice
	learned.Apply(next, &entity.Settings{DefaultAccountID: "a1"})
	if l := next.Lines[0]; l.AccountID != "a2" || l.AccountSource != invoice.CodedBySupplier || l.TaxRateID != "t0" || l.TaxSource != invoice.CodedBySupplier {
		t.Errorf("the next invoice's line is %+v", l)
	}
}

func TestSupplierKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		p    invoice.Party
		iban string
		want string
	}{
		{invoice.Party{TaxID: "de 136 695 976", Name: "A"}, "", "tax:DE136695976"},
		{invoice.Party{Name: "A"}, "DE89 3704 0044 0532 0130 00", "iban:DE89370400440532013000"},
		{invoice.Party{Name: "Société X"}, "12345", "name:sociétéx"},
		{invoice.Party{TradingName: "Shop 1"}, "", "name:shop1"},
		{invoice.Party{Name: "?!"}, "", "name:?!"},
		{invoice.Party{}, "", ""},
	} {
		if got := Supplier(tt.p, invoice.Payment{IBAN: tt.iban}); got != tt.want {
			t.Errorf("%+v is %q, want %q", tt.p, got, tt.want)
		}
	}
}

func TestStateMachine(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	b := &Sync{InvoiceID: uuid.New()}
	b.Request(Options{Integration: uuid.New(), Waiting: true}, now)
	if !b.Claimable(now) || b.State != invoice.SyncQueued {
		t.Fatalf("requested: %+v", b)
	}
	b.Claim(now)
	b.ScheduleRetry(accounting.CodeUnavailable, 0, now)
	if b.State != invoice.SyncQueued || b.Claimable(now) || !b.NextAttemptAt.Equal(now.Add(2*time.Second)) || b.Error.Action == "" {
		t.Fatalf("to be tried again: %+v", b.SyncView)
	}
	// Waiting for others and killed processes do not increase the delay.
	for range 9 {
		b.Claim(now)
		b.ScheduleRetry(accounting.CodeContactUnderWay, 0, now)
		if !b.NextAttemptAt.Equal(now.Add(time.Second)) {
			t.Fatalf("after %d attempts one that waits for others is postponed to %s", b.Attempts, b.NextAttemptAt)
		}
		b.Claim(now)
		b.ScheduleRetry(accounting.CodeBusy, 0, now)
		if !b.Waiting {
			t.Fatal("the waiting person was lost")
		}
		if !b.NextAttemptAt.Equal(now.Add(5 * time.Second)) {
			t.Fatalf("after %d attempts one that waits for its turn is postponed to %s", b.Attempts, b.NextAttemptAt)
		}
	}
	held := *b
	held.ScheduleUncounted(accounting.CodeUnavailable, time.Minute, now)
	if held.Failures != b.Failures || !held.NextAttemptAt.Equal(now.Add(time.Minute)) {
		t.Errorf("refused by the circuit breaker: %d failures, next at %s", held.Failures, held.NextAttemptAt)
	}
	late := *b
	if late.ScheduleRetry(accounting.CodeBusy, 0, now.Add(time.Minute)); late.Waiting {
		t.Error("the sync is still interactive after a minute")
	}
	b.ScheduleRetry(accounting.CodeUnavailable, 0, now)
	if !b.NextAttemptAt.Equal(now.Add(5 * time.Second)) {
		t.Errorf("the second failure postpones to %s", b.NextAttemptAt)
	}
	b.ScheduleRetry(accounting.CodeBusy, time.Hour, now)
	if !b.NextAttemptAt.Equal(now.Add(time.Hour)) {
		t.Errorf("the ledger asked for an hour, next at %s", b.NextAttemptAt)
	}
	now = b.NextAttemptAt
	b.Claim(now)
	b.RecordIntent(uuid.New(), accounting.Bill{Number: "R-1"}, nil, "", now)
	first := *b.Intent
	b.ScheduleRetry(accounting.CodeUncertain, 0, now)
	if b.State != invoice.SyncChecking {
		t.Fatalf("uncertain: %s", b.State)
	}
	// A repeated request does not change a sync in progress.
	b.Request(Options{Integration: uuid.New(), Force: true}, now)
	if b.State != invoice.SyncChecking || b.Intent.Key != first.Key || b.Force || !b.Claimable(now) {
		t.Errorf("asked again while uncertain: %+v", b)
	}
	// A permanent failure keeps the intent.
	b.ScheduleRetry(accounting.CodeUncertain, 0, now.Add(maxSyncAge+time.Hour))
	if b.State != invoice.SyncEnded || b.Intent == nil {
		t.Fatalf("given up: %+v", b)
	}
	b.Request(Options{Integration: uuid.New()}, now)
	if b.State != invoice.SyncChecking || b.Intent.Key != first.Key {
		t.Errorf("requested again: %+v", b)
	}
	b.Claim(now)
	b.Refuse(accounting.Refuse(accounting.CodePeriodClosed, ""))
	if b.State != invoice.SyncEnded || b.Intent != nil {
		t.Fatalf("refused: %+v", b)
	}
	b.Request(Options{Integration: uuid.New()}, now)
	b.Claim(now)
	b.RecordIntent(uuid.New(), accounting.Bill{}, nil, "", now)
	if b.Intent.Key == first.Key || len(b.Intent.Key) > 50 {
		t.Errorf("another bill under the key %q", b.Intent.Key)
	}
	b.RecordBill(accounting.LedgerBill{ID: "9", Total: dec("120.01")}, opt("120.00"), now)
	b.Finish(invoice.Skipped, "too big")
	if b.State != invoice.SyncDone || b.Difference.String() != "0.01" || b.Claimable(now.Add(time.Hour)) {
		t.Errorf("done: %+v", b.SyncView)
	}
	b.Removed()
	if b.State != invoice.SyncEnded || b.RemoteID != "" || b.Error.Code != string(accounting.CodeRemovedInLedger) {
		t.Errorf("removed: %+v", b.SyncView)
	}
}

func TestEveryCodeSaysWhatToDo(t *testing.T) {
	t.Parallel()
	seen := map[accounting.Code]bool{}
	for _, c := range accounting.Codes() {
		if c.Text() == "" || c.Action() == "" || seen[c] {
			t.Errorf("%s: %q, %q", c, c.Text(), c.Action())
		}
		seen[c] = true
	}
}

func TestRecognize(t *testing.T) {
	t.Parallel()
	own := accounting.LedgerBill{ID: "own", Reference: "ref", Total: dec("1")}
	like := accounting.LedgerBill{ID: "like", Total: dec("120.0"), Number: "R-1"}
	gone := like
	gone.Removed = true
	ownGone := own
	ownGone.Removed = true
	for name, tt := range map[string]struct {
		found []accounting.LedgerBill
		force bool
		own   string
		code  accounting.Code
	}{
		"nothing":              {nil, false, "", ""},
		"own":                  {[]accounting.LedgerBill{like, own}, false, "own", ""},
		"own is removed":       {[]accounting.LedgerBill{ownGone}, false, "", ""},
		"like":                 {[]accounting.LedgerBill{like}, false, "", accounting.CodeAlreadyInLedger},
		"like is removed":      {[]accounting.LedgerBill{gone}, false, "", ""},
		"like, but forced":     {[]accounting.LedgerBill{like}, true, "", ""},
		"another total":        {[]accounting.LedgerBill{{ID: "x", Total: dec("119")}}, false, "", ""},
		"another invoice's":    {[]accounting.LedgerBill{{ID: "x", Reference: "other", Total: dec("120")}}, false, "", accounting.CodeAlreadyInLedger},
		"removed own and like": {[]accounting.LedgerBill{ownGone, like}, false, "", accounting.CodeAlreadyInLedger},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := MatchBill(tt.found, "ref", dec("120.00"), tt.force)
			wantCode(t, err, tt.code)
			if (got != nil) != (tt.own != "") || got != nil && got.ID != tt.own {
				t.Errorf("matched %+v, want %q", got, tt.own)
			}
		})
	}
}
