package stripe

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
)

func (s *Server) registerCatalogue() {
	s.on("POST /v1/products", s.createProduct)
	s.on("POST /v1/products/{id}", s.updateProduct)
	s.on("GET /v1/products", func(c *call) (any, *apiError) {
		ids, given := c.texts("ids")
		active, filtered := c.boolean("active")
		return listed(s, c, "product", func(p *product) bool {
			return (!given || slices.Contains(ids, p.ID)) && (!filtered || p.Active == active)
		})
	})
	s.on("GET /v1/products/search", s.search("product"))
	reader[*product](s, "/v1/products", "product")
	s.on("POST /v1/prices", s.createPrice)
	s.on("POST /v1/prices/{id}", s.updatePrice)
	s.on("GET /v1/prices", s.listPrices)
	s.on("GET /v1/prices/search", s.search("price"))
	reader[*price](s, "/v1/prices", "price")
	s.on("POST /v1/tax_rates", s.createTaxRate)
	s.on("GET /v1/tax_rates", func(c *call) (any, *apiError) {
		return listed(s, c, "tax_rate", func(*taxRate) bool { return true })
	})
	reader[*taxRate](s, "/v1/tax_rates", "tax rate")
}

func (s *Server) createProduct(c *call) (any, *apiError) {
	p := &product{
		base: s.fresh("product"), Active: true, Images: []string{}, Features: []string{}, Type: "service", Updated: s.now,
	}
	if id, given := c.value("id"); given {
		if p.ID = id; s.store.byID[id] != nil {
			c.fail(refused("resource_already_exists", "id", "Product already exists."))
		}
	}
	p.Name = c.required("name")
	s.productFields(c, p)
	if e := c.done(); e != nil {
		return nil, e
	}
	s.add(p)
	s.changed(c, "product.created", p, nil)
	return p, nil
}

func (s *Server) productFields(c *call, p *product) {
	if name, given := c.value("name"); given {
		p.Name = name
	}
	c.set("description", &p.Description)
	c.set("unit_label", &p.UnitLabel)
	c.set("url", &p.URL)
	c.set("tax_code", &p.TaxCode)
	c.setBool("active", &p.Active)
	c.set("default_price", &p.DefaultPrice)
	c.metadata(&p.Metadata)
	c.ignore("images", "marketing_features", "shippable", "statement_descriptor", "type")
}

func (s *Server) updateProduct(c *call) (any, *apiError) {
	p, ok := find[*product](s, c.at("id"))
	if !ok {
		return nil, noSuch("product", c.at("id"))
	}
	next := *p
	s.productFields(c, &next)
	if e := c.done(); e != nil {
		return nil, e
	}
	before := raw(p)
	*p = next
	p.Updated = s.now
	s.changed(c, "product.updated", p, before)
	return p, nil
}

// maxAmount is the maximum amount of a price in smallest units.
const maxAmount = 99_999_999

var currencyCode = regexp.MustCompile(`^[a-zA-Z]{3}$`)

// currency parses a currency. Responses show it in lower case.
func (p *params) currency() string {
	v, given := p.value("currency")
	if given && !currencyCode.MatchString(v) {
		p.fail(invalid("", p.name("currency"), "Invalid currency: %s.", v))
	}
	return lower(v)
}

// unitAmount reads one of the two amounts of a price.
func (p *params) unitAmount() (*int64, text) {
	exact, given := p.decimal("unit_amount_decimal")
	n, whole := p.within("unit_amount", 0, maxAmount)
	switch {
	case given && whole:
		p.fail(invalid("", p.name("unit_amount"), "You may only specify one of these parameters: unit_amount, unit_amount_decimal."))
	case whole:
		return &n, text(strconv.FormatInt(n, 10))
	case given:
		if n, err := strconv.ParseInt(exact, 10, 64); err == nil {
			return &n, text(exact)
		}
		return nil, text(exact)
	}
	return nil, ""
}

func (s *Server) createPrice(c *call) (any, *apiError) {
	p := &price{base: s.fresh("price"), Active: true, BillingScheme: "per_unit", Type: "one_time"}
	c.required("currency")
	p.Currency = c.currency()
	p.TaxBehavior = c.oneOr("tax_behavior", "unspecified", "exclusive", "inclusive", "unspecified")
	c.set("nickname", &p.Nickname)
	c.setBool("active", &p.Active)
	c.metadata(&p.Metadata)
	if c.has("recurring") {
		p.Type, p.Recurring = "recurring", c.group("recurring").recurring()
	}
	p.BillingScheme = c.oneOr("billing_scheme", "per_unit", "per_unit", "tiered")
	if p.UnitAmount, p.UnitAmountDecimal = c.unitAmount(); p.UnitAmountDecimal == "" && p.BillingScheme == "per_unit" {
		c.fail(invalid("parameter_missing", "unit_amount",
			"You must pass either `unit_amount`, `unit_amount_decimal`, or `custom_unit_amount`."))
	}
	if p.BillingScheme == "tiered" {
		s.readTiers(c, p)
	}
	if c.has("transform_quantity") {
		t := c.group("transform_quantity")
		by, _ := t.within("divide_by", 1, 1<<31)
		p.TransformQuantity = &transformQuantity{DivideBy: by, Round: t.oneOr("round", "up", "up", "down")}
	}
	made := s.productOfPrice(c, p)
	s.lookupKey(c, p)
	if e := c.done(); e != nil {
		return nil, e
	}
	if made != nil {
		s.add(made)
		s.changed(c, "product.created", made, nil)
	}
	s.add(p)
	s.changed(c, "price.created", p, nil)
	return p, nil
}

// productOfPrice finds or creates the product of a new price.
func (s *Server) productOfPrice(c *call, p *price) (made *product) {
	if c.has("product_data") {
		data := c.group("product_data")
		made = &product{
			base: s.fresh("product"), Active: true, Images: []string{}, Features: []string{}, Type: "service", Updated: s.now,
		}
		made.Name = data.required("name")
		data.metadata(&made.Metadata)
		p.Product = made.ID
		return made
	}
	p.Product = c.required("product")
	if _, ok := find[*product](s, p.Product); p.Product != "" && !ok {
		c.fail(noSuchParam("product", "product", p.Product))
	}
	return nil
}

func (p *params) recurring() *recurring {
	r := &recurring{IntervalCount: 1, UsageType: p.oneOr("usage_type", "licensed", "licensed", "metered")}
	p.required("interval")
	r.Interval = p.oneOr("interval", "month", "day", "week", "month", "year")
	if n, given := p.within("interval_count", 1, 1095); given {
		r.IntervalCount = n
	}
	p.ignore("aggregate_usage", "trial_period_days", "meter")
	return r
}

func (s *Server) readTiers(c *call, p *price) {
	p.TiersMode = text(c.oneOr("tiers_mode", "graduated", "graduated", "volume"))
	for _, g := range c.groups("tiers") {
		var t tier
		if v := g.required("up_to"); v != "inf" {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				g.fail(invalid("parameter_invalid_integer", g.name("up_to"), "Invalid integer: %s", v))
			}
			t.UpTo = stamp(n)
		}
		if n, given := g.integer("unit_amount"); given {
			t.UnitAmount = &n
		}
		if n, given := g.integer("flat_amount"); given {
			t.FlatAmount = &n
		}
		p.tiers = append(p.tiers, t)
	}
	if len(p.tiers) == 0 {
		c.fail(invalid("parameter_missing", "tiers", "Missing required param: tiers."))
	}
}

// lookupKey sets the account-wide name of a price. On request it transfers the name from another
// price.
func (s *Server) lookupKey(c *call, p *price) {
	transfer, _ := c.boolean("transfer_lookup_key")
	key, given := c.text("lookup_key")
	if !given {
		return
	}
	for _, other := range all[*price](s, "price") {
		if key == "" || other.ID == p.ID || string(other.LookupKey) != key {
			continue
		}
		if !transfer {
			c.fail(refused("resource_already_exists", "lookup_key", "A price (`%s`) already uses that lookup key.", other.ID))
			return
		}
		other.LookupKey = ""
	}
	p.LookupKey = text(key)
}

func (s *Server) updatePrice(c *call) (any, *apiError) {
	p, ok := find[*price](s, c.at("id"))
	if !ok {
		return nil, noSuch("price", c.at("id"))
	}
	before := raw(p)
	next := *p
	c.setBool("active", &next.Active)
	c.set("nickname", &next.Nickname)
	c.metadata(&next.Metadata)
	next.TaxBehavior = c.oneOr("tax_behavior", next.TaxBehavior, "exclusive", "inclusive", "unspecified")
	s.lookupKey(c, &next)
	if e := c.done(); e != nil {
		return nil, e
	}
	*p = next
	s.changed(c, "price.updated", p, before)
	return p, nil
}

func (s *Server) listPrices(c *call) (any, *apiError) {
	of, given := c.value("product")
	active, filtered := c.boolean("active")
	kind, typed := c.one("type", "one_time", "recurring")
	code, coded := c.value("currency")
	keys, keyed := c.texts("lookup_keys")
	interval, every := c.group("recurring").value("interval")
	return listed(s, c, "price", func(p *price) bool {
		switch {
		case !is(of, given, p.Product), filtered && p.Active != active, !is(kind, typed, p.Type), !is(lower(code), coded, p.Currency):
			return false
		case keyed && !slices.Contains(keys, string(p.LookupKey)):
			return false
		}
		return !every || p.Recurring != nil && p.Recurring.Interval == interval
	})
}

func (s *Server) createTaxRate(c *call) (any, *apiError) {
	t := &taxRate{base: s.fresh("tax_rate"), Active: true}
	t.DisplayName = c.required("display_name")
	c.required("percentage")
	t.percent, _ = c.decimal("percentage")
	t.Percentage, _ = strconv.ParseFloat(t.percent, 64)
	c.required("inclusive")
	c.setBool("inclusive", &t.Inclusive)
	c.setBool("active", &t.Active)
	c.set("country", &t.Country)
	c.set("description", &t.Description)
	c.metadata(&t.Metadata)
	c.ignore("jurisdiction", "state", "tax_type")
	if e := c.done(); e != nil {
		return nil, e
	}
	s.add(t)
	return t, nil
}

// taxRates parses a list of rates; none if the parameter is absent.
func (s *Server) taxRates(p *params, key string) []*taxRate {
	rates := []*taxRate{}
	ids, _ := p.texts(key)
	for _, id := range ids {
		if t, ok := find[*taxRate](s, id); ok {
			rates = append(rates, t)
		} else {
			p.fail(noSuchParam("tax rate", p.name(key), id))
		}
	}
	return rates
}

// cost is the cost of a quantity of a price in whole smallest units. It rounds a fraction half
// up, as for a tax of 100 %.
func (p *price) cost(quantity int64) int64 {
	if p.BillingScheme == "tiered" {
		return p.tiered(quantity)
	}
	return percent(100*p.packages(quantity), string(p.UnitAmountDecimal))
}

func (p *price) packages(quantity int64) int64 {
	t := p.TransformQuantity
	if t == nil || t.DivideBy == 0 {
		return quantity
	}
	if t.Round == "up" {
		quantity += t.DivideBy - 1
	}
	return quantity / t.DivideBy
}

func (p *price) tiered(quantity int64) (sum int64) {
	from := int64(0)
	for _, t := range p.tiers {
		upTo := int64(t.UpTo)
		if upTo == 0 || upTo > quantity {
			upTo = quantity
		}
		count, last := upTo-from, t.UpTo == 0 || int64(t.UpTo) >= quantity
		if p.TiersMode == "volume" {
			count = quantity
		}
		if p.TiersMode != "volume" || last {
			if t.UnitAmount != nil {
				sum += *t.UnitAmount * count
			}
			if t.FlatAmount != nil {
				sum += *t.FlatAmount
			}
		}
		if from = upTo; last {
			break
		}
	}
	return sum
}

// percent is a percentage of an amount, rounded half up; rate is a decimal text.
func percent(amount int64, rate string) int64 {
	share, ok := new(big.Rat).SetString(rate)
	if !ok {
		share = new(big.Rat) // an empty rate is 0
	}
	share.Mul(share, new(big.Rat).SetFrac64(amount, 100))
	share.Add(share, big.NewRat(1, 2))
	return new(big.Int).Div(share.Num(), share.Denom()).Int64()
}
