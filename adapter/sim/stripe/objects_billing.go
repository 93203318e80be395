package stripe

type invoice struct {
	base
	AccountCountry      string          `json:"account_country"`
	AccountName         string          `json:"account_name"`
	AmountDue           int64           `json:"amount_due"`
	AmountPaid          int64           `json:"amount_paid"`
	AmountRemaining     int64           `json:"amount_remaining"`
	AmountShipping      int64           `json:"amount_shipping"`
	AttemptCount        int64           `json:"attempt_count"`
	Attempted           bool            `json:"attempted"`
	AutoAdvance         bool            `json:"auto_advance"`
	AutomaticTax        automaticTax    `json:"automatic_tax"`
	FinalizesAt         stamp           `json:"automatically_finalizes_at"`
	BillingReason       string          `json:"billing_reason"`
	Charge              text            `json:"charge"`
	CollectionMethod    string          `json:"collection_method"`
	Currency            string          `json:"currency"`
	Customer            string          `json:"customer"`
	CustomerEmail       text            `json:"customer_email"`
	CustomerName        text            `json:"customer_name"`
	DefaultPayment      text            `json:"default_payment_method"`
	DefaultSource       text            `json:"default_source"`
	DefaultTaxRates     []*taxRate      `json:"default_tax_rates"`
	Description         text            `json:"description"`
	Discounts           []string        `json:"discounts"`
	DueDate             stamp           `json:"due_date"`
	EffectiveAt         stamp           `json:"effective_at"`
	EndingBalance       *int64          `json:"ending_balance"`
	HostedInvoiceURL    text            `json:"hosted_invoice_url"`
	InvoicePDF          text            `json:"invoice_pdf"`
	LastFinalization    *struct{}       `json:"last_finalization_error"`
	Lines               invoiceLines    `json:"lines"`
	NextPaymentAttempt  stamp           `json:"next_payment_attempt"`
	Number              text            `json:"number"`
	Paid                bool            `json:"paid"`
	PaidOutOfBand       bool            `json:"paid_out_of_band"`
	PaymentIntent       text            `json:"payment_intent"`
	PeriodEnd           int64           `json:"period_end"`
	PeriodStart         int64           `json:"period_start"`
	StartingBalance     int64           `json:"starting_balance"`
	Status              string          `json:"status"`
	StatusTransitions   transitions     `json:"status_transitions"`
	Subscription        text            `json:"subscription"`
	SubscriptionDetails *subscriptionOf `json:"subscription_details"`
	Subtotal            int64           `json:"subtotal"`
	SubtotalExTax       int64           `json:"subtotal_excluding_tax"`
	Tax                 *int64          `json:"tax"`
	Total               int64           `json:"total"`
	TotalExTax          int64           `json:"total_excluding_tax"`
	TotalTaxAmounts     []taxAmount     `json:"total_tax_amounts"`
}

type transitions struct {
	FinalizedAt     stamp `json:"finalized_at"`
	UncollectibleAt stamp `json:"marked_uncollectible_at"`
	PaidAt          stamp `json:"paid_at"`
	VoidedAt        stamp `json:"voided_at"`
}

type subscriptionOf struct {
	Metadata map[string]string `json:"metadata"`
}

type invoiceLines struct {
	Object     string      `json:"object"`
	Data       []*lineItem `json:"data"`
	HasMore    bool        `json:"has_more"`
	TotalCount int         `json:"total_count"`
	URL        string      `json:"url"`
}

type period struct {
	Start int64 `json:"start"`
	End   int64 `json:"end"`
}

type taxAmount struct {
	Amount    int64 `json:"amount"`
	Inclusive bool  `json:"inclusive"`
	TaxRate   text  `json:"tax_rate"`
	Taxable   int64 `json:"taxable_amount"`
}

type lineItem struct {
	ID               string            `json:"id"`
	Object           string            `json:"object"`
	Amount           int64             `json:"amount"`
	AmountExTax      int64             `json:"amount_excluding_tax"`
	Currency         string            `json:"currency"`
	Description      text              `json:"description"`
	Discountable     bool              `json:"discountable"`
	Discounts        []string          `json:"discounts"`
	Invoice          string            `json:"invoice"`
	InvoiceItem      text              `json:"invoice_item,omitempty"`
	Livemode         bool              `json:"livemode"`
	Metadata         map[string]string `json:"metadata"`
	Period           period            `json:"period"`
	Price            *price            `json:"price"`
	Proration        bool              `json:"proration"`
	Quantity         int64             `json:"quantity"`
	Subscription     text              `json:"subscription"`
	SubscriptionItem text              `json:"subscription_item,omitempty"`
	TaxAmounts       []taxAmount       `json:"tax_amounts"`
	TaxRates         []*taxRate        `json:"tax_rates"`
	Type             string            `json:"type"`
}

type invoiceItem struct {
	base
	Amount            int64      `json:"amount"`
	Currency          string     `json:"currency"`
	Customer          string     `json:"customer"`
	Date              int64      `json:"date"`
	Description       text       `json:"description"`
	Discountable      bool       `json:"discountable"`
	Discounts         []string   `json:"discounts"`
	Invoice           text       `json:"invoice"`
	Period            period     `json:"period"`
	Price             *price     `json:"price"`
	Proration         bool       `json:"proration"`
	Quantity          int64      `json:"quantity"`
	Subscription      text       `json:"subscription"`
	TaxRates          []*taxRate `json:"tax_rates"`
	UnitAmount        *int64     `json:"unit_amount"`
	UnitAmountDecimal text       `json:"unit_amount_decimal"`
}

type paymentIntent struct {
	base
	Amount           int64          `json:"amount"`
	AmountReceived   int64          `json:"amount_received"`
	ClientSecret     string         `json:"client_secret"`
	Currency         string         `json:"currency"`
	Customer         string         `json:"customer"`
	Invoice          text           `json:"invoice"`
	LastPaymentError map[string]any `json:"last_payment_error"`
	PaymentMethod    text           `json:"payment_method"`
	Status           string         `json:"status"`
}

type checkoutSession struct {
	base
	AmountSubtotal    int64             `json:"amount_subtotal"`
	AmountTotal       int64             `json:"amount_total"`
	AutomaticTax      automaticTax      `json:"automatic_tax"`
	CancelURL         text              `json:"cancel_url"`
	ClientReferenceID text              `json:"client_reference_id"`
	Currency          text              `json:"currency"`
	Customer          text              `json:"customer"`
	CustomerEmail     text              `json:"customer_email"`
	ExpiresAt         int64             `json:"expires_at"`
	Invoice           text              `json:"invoice"`
	Mode              string            `json:"mode"`
	PaymentIntent     text              `json:"payment_intent"`
	PaymentMethods    []string          `json:"payment_method_types"`
	PaymentStatus     string            `json:"payment_status"`
	Status            string            `json:"status"`
	Subscription      text              `json:"subscription"`
	SuccessURL        text              `json:"success_url"`
	UIMode            string            `json:"ui_mode"`
	URL               text              `json:"url"`
	order             subscriptionOrder // the purchase
	items             []*sessionItem
}

type sessionItem struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Amount      int64  `json:"amount_total"`
	Currency    string `json:"currency"`
	Description text   `json:"description"`
	Price       *price `json:"price"`
	Quantity    int64  `json:"quantity"`
}

type portalSession struct {
	base
	Configuration string `json:"configuration"`
	Customer      string `json:"customer"`
	Locale        text   `json:"locale"`
	ReturnURL     text   `json:"return_url"`
	URL           string `json:"url"`
}

type webhookEndpoint struct {
	base
	APIVersion    text     `json:"api_version"`
	Description   text     `json:"description"`
	EnabledEvents []string `json:"enabled_events"`
	Status        string   `json:"status"`
	URL           string   `json:"url"`
	secrets       []string
}

// event is an event with the object at that time, without a version: render converts it to a
// version.
type event struct {
	base
	kind      string
	object    map[string]any
	previous  map[string]any
	requestID string
	key       string
	pending   int // deliveries without a success
}
