package httpapi

import (
	"bytes"
	"context"
	"mime"

	"docledger/adapter/httpapi/convert"
	"docledger/domain/fault"
	"docledger/domain/identity"
	billingapi "docledger/gen/billing"
	"docledger/usecase/billing"

	"github.com/google/uuid"
)

// GetBilling implements the operation getBilling.
func (s *Server) GetBilling(ctx context.Context, _ billingapi.GetBillingRequestObject) (billingapi.GetBillingResponseObject, error) {
	v, err := s.Billing.Overview(ctx, actor(ctx))
	if err != nil {
		return nil, err
	}
	return billingapi.GetBilling200JSONResponse{Body: convert.ToAPIBilling(v)}, nil
}

// GetBillingUsage implements the operation getBillingUsage.
func (s *Server) GetBillingUsage(
	ctx context.Context, r billingapi.GetBillingUsageRequestObject,
) (billingapi.GetBillingUsageResponseObject, error) {
	month := ""
	if r.Params.Month != nil {
		month = *r.Params.Month
	}
	u, err := s.Billing.UsageByEntity(ctx, actor(ctx), month)
	if err != nil {
		return nil, err
	}
	if r.Params.Format == nil || *r.Params.Format == billingapi.Json {
		return billingapi.GetBillingUsage200JSONResponse{Body: convert.ToAPIUsageByEntity(u)}, nil
	}
	table, err := convert.ToCSVUsageByEntity(u)
	if err != nil {
		return nil, err
	}
	disposition := mime.FormatMediaType("attachment", map[string]string{"filename": "usage-" + u.Month + ".csv"})
	return billingapi.GetBillingUsage200TextcsvResponse{
		Body: bytes.NewReader(table), ContentLength: int64(len(table)),
		Headers: billingapi.GetBillingUsage200ResponseHeaders{ContentDisposition: &disposition},
	}, nil
}

// ListPlans implements the operation listPlans.
func (s *Server) ListPlans(ctx context.Context, _ billingapi.ListPlansRequestObject) (billingapi.ListPlansResponseObject, error) {
	if s.Shop == nil {
		return nil, errNothingForSale()
	}
	offers, err := s.Shop.Plans(ctx, actor(ctx))
	if err != nil {
		return nil, err
	}
	return billingapi.ListPlans200JSONResponse{
		Body: billingapi.PlanList{Items: convert.ToAPIPlans(offers), NextCursor: convert.Cursor("")},
	}, nil
}

// CreateCheckoutSession implements the operation createCheckoutSession.
func (s *Server) CreateCheckoutSession(
	ctx context.Context, r billingapi.CreateCheckoutSessionRequestObject,
) (billingapi.CreateCheckoutSessionResponseObject, error) {
	shop, err := s.shop(actor(ctx))
	if err != nil {
		return nil, err
	}
	// shop has asked for the caller's rights.
	may := func(billingapi.BillingSession) error { return nil }
	body, _, err := withIdempotency(ctx, s, r.Params.IdempotencyKey, r.Body, may, func(uuid.UUID) (billingapi.BillingSession, int, error) {
		url, err := shop.CreateSession(ctx, actor(ctx), billing.CheckoutInput{
			PriceID: r.Body.PriceId, SuccessURL: r.Body.SuccessUrl, CancelURL: r.Body.CancelUrl,
		})
		return billingapi.BillingSession{Url: url}, 0, err
	})
	if err != nil {
		return nil, err
	}
	return billingapi.CreateCheckoutSession200JSONResponse{Body: body}, nil
}

// CreatePortalSession implements the operation createPortalSession.
func (s *Server) CreatePortalSession(
	ctx context.Context, r billingapi.CreatePortalSessionRequestObject,
) (billingapi.CreatePortalSessionResponseObject, error) {
	shop, err := s.shop(actor(ctx))
	if err != nil {
		return nil, err
	}
	url, err := shop.Portal(ctx, actor(ctx), r.Body.ReturnUrl)
	if err != nil {
		return nil, err
	}
	return billingapi.CreatePortalSession200JSONResponse{Body: billingapi.BillingSession{Url: url}}, nil
}

// shop returns the checkout. It checks the permission of the caller first, as
// for every record of their organization.
func (s *Server) shop(a identity.Actor) (*billing.Checkout, error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	if s.Shop == nil {
		return nil, errNothingForSale()
	}
	return s.Shop, nil
}

// errNothingForSale is the error of an installation without a payment processor
// (domain D16).
func errNothingForSale() error {
	return fault.New(fault.NotFound, fault.CodeNotFound,
		"This installation has no payment processor and sells no plans. See your limits at GET /api/billing.")
}
