package stripe

import "encoding/json"

// text is a string that is null if it is empty.
type text string

func (t text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// stamp is a time in seconds that is null if it is zero.
type stamp int64

func (s stamp) MarshalJSON() ([]byte, error) {
	if s == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int64(s))
}

// base contains the first fields of every object.
type base struct {
	ID       string            `json:"id"`
	Object   string            `json:"object"`
	Created  int64             `json:"created"`
	Livemode bool              `json:"livemode"`
	Metadata map[string]string `json:"metadata"`
}

func (b *base) head() *base { return b }

// record is any object that has an id.
type record interface{ head() *base }

type customer struct {
	base
	Address             map[string]string `json:"address"`
	Balance             int64             `json:"balance"`
	Currency            text              `json:"currency"`
	DefaultSource       text              `json:"default_source"`
	Delinquent          bool              `json:"delinquent"`
	Description         text              `json:"description"`
	Discount            *struct{}         `json:"discount"`
	Email               text              `json:"email"`
	InvoicePrefix       string            `json:"invoice_prefix"`
	InvoiceSettings     invoiceSettings   `json:"invoice_settings"`
	Name                text              `json:"name"`
	NextInvoiceSequence int64             `json:"next_invoice_sequence"`
	Phone               text              `json:"phone"`
	PreferredLocales    []string          `json:"preferred_locales"`
	Shipping            *struct{}         `json:"shipping"`
	TaxExempt           string            `json:"tax_exempt"`
	deleted             bool
}

type invoiceSettings struct {
	CustomFields         *struct{} `json:"custom_fields"`
	DefaultPaymentMethod text      `json:"default_payment_method"`
	Footer               text      `json:"footer"`
	RenderingOptions     *struct{} `json:"rendering_options"`
}

type product struct {
	base
	Active       bool     `json:"active"`
	DefaultPrice text     `json:"default_price"`
	Description  text     `json:"description"`
	Images       []string `json:"images"`
	Features     []string `json:"marketing_features"`
	Name         string   `json:"name"`
	Type         string   `json:"type"`
	UnitLabel    text     `json:"unit_label"`
	Updated      int64    `json:"updated"`
	URL          text     `json:"url"`
	TaxCode      text     `json:"tax_code"`
}

type price struct {
	base
	Active            bool               `json:"active"`
	BillingScheme     string             `json:"billing_scheme"`
	Currency          string             `json:"currency"`
	CustomUnitAmount  *struct{}          `json:"custom_unit_amount"`
	LookupKey         text               `json:"lookup_key"`
	Nickname          text               `json:"nickname"`
	Product           string             `json:"product"`
	Recurring         *recurring         `json:"recurring"`
	TaxBehavior       string             `json:"tax_behavior"`
	TiersMode         text               `json:"tiers_mode"`
	TransformQuantity *transformQuantity `json:"transform_quantity"`
	Type              string             `json:"type"`
	UnitAmount        *int64             `json:"unit_amount"`
	UnitAmountDecimal text               `json:"unit_amount_decimal"`
	tiers             []tier
}

type recurring struct {
	AggregateUsage  text   `json:"aggregate_usage"`
	Interval        string `json:"interval"`
	IntervalCount   int64  `json:"interval_count"`
	TrialPeriodDays stamp  `json:"trial_period_days"`
	UsageType       string `json:"usage_type"`
}

type transformQuantity struct {
	DivideBy int64  `json:"divide_by"`
	Round    string `json:"round"`
}

type tier struct {
	FlatAmount *int64 `json:"flat_amount"`
	UnitAmount *int64 `json:"unit_amount"`
	UpTo       stamp  `json:"up_to"`
}

type taxRate struct {
	base
	Active      bool    `json:"active"`
	Country     text    `json:"country"`
	Description text    `json:"description"`
	DisplayName string  `json:"display_name"`
	Inclusive   bool    `json:"inclusive"`
	Percentage  float64 `json:"percentage"`
	percent     string
}

type paymentMethod struct {
	base
	AllowRedisplay string         `json:"allow_redisplay"`
	BillingDetails billingDetails `json:"billing_details"`
	Card           *cardDetails   `json:"card,omitempty"`
	Customer       text           `json:"customer"`
	Type           string         `json:"type"`
	kind           card
}

type billingDetails struct {
	Address *struct{} `json:"address"`
	Email   text      `json:"email"`
	Name    text      `json:"name"`
	Phone   text      `json:"phone"`
}

type cardDetails struct {
	Brand    string `json:"brand"`
	Country  string `json:"country"`
	ExpMonth int    `json:"exp_month"`
	ExpYear  int    `json:"exp_year"`
	Funding  string `json:"funding"`
	Last4    string `json:"last4"`
}

type automaticTax struct {
	Enabled   bool      `json:"enabled"`
	Liability *struct{} `json:"liability"`
	Status    text      `json:"status"`
}

type subscription struct {
	base
	AutomaticTax          automaticTax      `json:"automatic_tax"`
	BillingCycleAnchor    int64             `json:"billing_cycle_anchor"`
	AnchorConfig          *anchorConfig     `json:"billing_cycle_anchor_config"`
	CancelAt              stamp             `json:"cancel_at"`
	CancelAtPeriodEnd     bool              `json:"cancel_at_period_end"`
	CanceledAt            stamp             `json:"canceled_at"`
	CancellationDetails   map[string]text   `json:"cancellation_details"`
	CollectionMethod      string            `json:"collection_method"`
	Currency              string            `json:"currency"`
	CurrentPeriodEnd      int64             `json:"current_period_end"`
	CurrentPeriodStart    int64             `json:"current_period_start"`
	Customer              string            `json:"customer"`
	DaysUntilDue          stamp             `json:"days_until_due"`
	DefaultPaymentMethod  text              `json:"default_payment_method"`
	DefaultSource         text              `json:"default_source"`
	DefaultTaxRates       []*taxRate        `json:"default_tax_rates"`
	Description           text              `json:"description"`
	Discounts             []string          `json:"discounts"`
	EndedAt               stamp             `json:"ended_at"`
	Items                 subscriptionItems `json:"items"`
	LatestInvoice         text              `json:"latest_invoice"`
	PauseCollection       *pausedCollection `json:"pause_collection"`
	PendingSetupIntent    text              `json:"pending_setup_intent"`
	StartDate             int64             `json:"start_date"`
	Status                string            `json:"status"`
	TrialEnd              stamp             `json:"trial_end"`
	TrialSettings         *trialSettings    `json:"trial_settings"`
	TrialStart            stamp             `json:"trial_start"`
	incompleteUntil       int64
	missingPaymentAtTrial string // create_invoice, pause or cancel
}

type anchorConfig struct {
	DayOfMonth int64  `json:"day_of_month"`
	Month      *int64 `json:"month"`
	Hour       *int64 `json:"hour"`
	Minute     *int64 `json:"minute"`
	Second     *int64 `json:"second"`
}

type trialSettings struct {
	EndBehavior struct {
		MissingPaymentMethod string `json:"missing_payment_method"`
	} `json:"end_behavior"`
}

type subscriptionItems struct {
	Object     string              `json:"object"`
	Data       []*subscriptionItem `json:"data"`
	HasMore    bool                `json:"has_more"`
	TotalCount int                 `json:"total_count"`
	URL        string              `json:"url"`
}

type subscriptionItem struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	Created            int64             `json:"created"`
	CurrentPeriodEnd   int64             `json:"current_period_end"`
	CurrentPeriodStart int64             `json:"current_period_start"`
	Discounts          []string          `json:"discounts"`
	Metadata           map[string]string `json:"metadata"`
	Price              *price            `json:"price"`
	Quantity           *int64            `json:"quantity,omitempty"`
	Subscription       string            `json:"subscription"`
	TaxRates           []*taxRate        `json:"tax_rates"`
}
