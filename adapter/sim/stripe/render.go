package stripe

import (
	"maps"
	"strings"
)

// maxExpansion is the maximum depth of expansions in a response.
const maxExpansion = 4

// show renders the result of an operation in the request's version and with the requested
// expansions.
func (s *Server) show(c *call, result any) (any, *apiError) {
	var out map[string]any
	switch r := result.(type) {
	case *event:
		out = s.renderEvent(r, "")
	case record:
		out = render(raw(r), c.version)
	case map[string]any:
		out = r
	}
	for _, path := range c.expand {
		if !s.expandPath(out, strings.Split(path, "."), c.version) {
			return nil, invalid("", "expand", "This property cannot be expanded (%s).", path)
		}
	}
	return out, nil
}

// expandPath replaces ids with objects.
func (s *Server) expandPath(at map[string]any, path []string, version string) bool {
	name := path[0]
	value, ok := at[name]
	if !ok {
		if value, ok = s.include(at, name, version); !ok {
			return false
		}
		at[name] = value
	}
	switch v := value.(type) {
	case nil:
		return true
	case string:
		r, found := s.store.byID[v]
		if !found {
			return false
		}
		object := render(raw(r), version)
		at[name] = object
		return len(path) == 1 || s.expandPath(object, path[1:], version)
	case map[string]any:
		return len(path) == 1 || s.expandPath(v, path[1:], version)
	case []any:
		return len(path) > 1 && s.expandEach(v, path[1:], version)
	case []map[string]any:
		for _, object := range v {
			if len(path) == 1 || !s.expandPath(object, path[1:], version) {
				return false
			}
		}
		return len(path) > 1
	}
	return false
}

func (s *Server) expandEach(list []any, path []string, version string) bool {
	for _, element := range list {
		object, ok := element.(map[string]any)
		if !ok || !s.expandPath(object, path, version) {
			return false
		}
	}
	return true
}

// include keeps the properties that a response contains only on request.
func (s *Server) include(at map[string]any, name, version string) (any, bool) {
	id, _ := at["id"].(string)
	switch r := s.store.byID[id].(type) {
	case *price:
		if name == "tiers" {
			return r.tiers, true
		}
	case *customer:
		if name == "subscriptions" {
			subs := filter(all[*subscription](s, "subscription"), func(x *subscription) bool {
				return x.Customer == id && x.EndedAt == 0
			})
			return wholeList("/v1/customers/"+id+"/subscriptions", subs, version), true
		}
	case *checkoutSession:
		if name == "line_items" {
			return map[string]any{
				"object": "list", "has_more": false, "url": "/v1/checkout/sessions/" + id + "/line_items", "data": r.items,
			}, true
		}
	}
	return nil, false
}

// render converts an object to a version. It changes its argument.
func render(object map[string]any, version string) map[string]any {
	for _, value := range object {
		switch v := value.(type) {
		case map[string]any:
			render(v, version)
		case []any:
			for _, element := range v {
				if inner, ok := element.(map[string]any); ok {
					render(inner, version)
				}
			}
		}
	}
	kind, _ := object["object"].(string)
	// These objects lack what base and automaticTax have: docs.stripe.com/api/invoiceitems/object,
	// /customer_portal/sessions/object and /subscriptions/object.
	switch kind {
	case "invoiceitem":
		remove(object, "created")
	case "billing_portal.session":
		remove(object, "metadata")
	case "subscription":
		if tax, isObject := object["automatic_tax"].(map[string]any); isObject {
			remove(tax, "status")
		}
	}
	if version < VersionBasil[:len("2025-03-31")] {
		if kind == "subscription_item" {
			remove(object, "current_period_start", "current_period_end")
		}
		return object
	}
	if change, ok := basil[kind]; ok {
		change(object)
	}
	return object
}

// basil are the changes of VersionBasil that affect this simulator.
var basil = map[string]func(map[string]any){
	"subscription": func(o map[string]any) {
		remove(o, "current_period_start", "current_period_end")
	},
	"invoice": func(o map[string]any) {
		o["parent"] = nil
		if id, _ := o["subscription"].(string); id != "" {
			details := map[string]any{"subscription": id, "metadata": nil}
			if of, ok := o["subscription_details"].(map[string]any); ok {
				details["metadata"] = of["metadata"]
			}
			o["parent"] = map[string]any{"type": "subscription_details", "quote_details": nil, "subscription_details": details}
		}
		o["total_taxes"] = o["total_tax_amounts"]
		remove(o, "subscription", "subscription_details", "paid", "paid_out_of_band", "payment_intent", "charge", "tax", "total_tax_amounts")
	},
	"line_item": func(o map[string]any) {
		parent := map[string]any{"type": "invoice_item_details"}
		if o["type"] == "subscription" {
			parent["type"] = "subscription_item_details"
		}
		parent[parent["type"].(string)] = map[string]any{
			"invoice_item": o["invoice_item"], "proration": o["proration"],
			"subscription": o["subscription"], "subscription_item": o["subscription_item"],
		}
		o["parent"], o["pricing"], o["taxes"] = parent, pricing(o["price"]), o["tax_amounts"]
		remove(o, "price", "invoice_item", "subscription", "subscription_item", "proration", "tax_amounts", "tax_rates", "type")
	},
	"invoiceitem": func(o map[string]any) {
		o["pricing"] = pricing(o["price"])
		remove(o, "price", "subscription", "unit_amount", "unit_amount_decimal")
	},
}

func pricing(of any) any {
	p, ok := of.(map[string]any)
	if !ok {
		return nil
	}
	return map[string]any{
		"type":                "price_details",
		"price_details":       map[string]any{"price": p["id"], "product": p["product"]},
		"unit_amount_decimal": p["unit_amount_decimal"],
	}
}

func remove(o map[string]any, keys ...string) {
	for _, key := range keys {
		delete(o, key)
	}
}

// copied is a deep copy of rendered JSON.
func copied(o map[string]any) map[string]any {
	out := maps.Clone(o)
	for key, value := range out {
		switch v := value.(type) {
		case map[string]any:
			out[key] = copied(v)
		case []any:
			list := make([]any, len(v))
			for i, element := range v {
				list[i] = element
				if inner, ok := element.(map[string]any); ok {
					list[i] = copied(inner)
				}
			}
			out[key] = list
		}
	}
	return out
}

// renderEvent renders an event in a version of the API; "" is the account's version.
func (s *Server) renderEvent(e *event, version string) map[string]any {
	if version == "" {
		version = Version
	}
	data := map[string]any{"object": render(copied(e.object), version)}
	if e.previous != nil {
		data["previous_attributes"] = e.previous
	}
	request := map[string]any{"id": nil, "idempotency_key": nil}
	if e.requestID != "" {
		request["id"] = e.requestID
	}
	if e.key != "" {
		request["idempotency_key"] = e.key
	}
	return map[string]any{
		"id": e.ID, "object": "event", "api_version": version, "created": e.Created, "livemode": false,
		"type": e.kind, "data": data, "pending_webhooks": e.pending, "request": request,
	}
}
