package msgraph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"docledger/adapter/sim/kit/oidc"
)

const maxClientState = 128

// subscription sends notifications about the changes of a drive to an address.
type subscription struct {
	id      string
	grant   *grant
	drive   *drive
	address string
	state   string // clientState
	expires time.Time
}

func (n *subscription) resource() string { return "/drives/" + n.drive.id + "/root" }

// render omits the clientState, as the provider does after the creation.
func (s *Server) renderSubscription(n *subscription) object {
	return object{
		"@odata.context": s.options.Origin + apiPath + "/$metadata#subscriptions/$entity", "id": n.id, "resource": n.resource(),
		"applicationId": n.grant.client, "creatorId": n.grant.user, "changeType": "updated", "clientState": nil,
		"notificationUrl": n.address, "expirationDateTime": n.expires.UTC().Format("2006-01-02T15:04:05.0000000Z"),
	}
}

// wireSubscription is the body of a request.
type wireSubscription struct {
	ChangeType string    `json:"changeType"`
	Address    string    `json:"notificationUrl"`
	Resource   string    `json:"resource"`
	Expires    time.Time `json:"expirationDateTime"`
	State      string    `json:"clientState"`
}

// subscribe creates a subscription after its address returned the validation token. It does not
// hold the lock while it waits.
func (s *Server) subscribe(w http.ResponseWriter, c *call) {
	s.mu.Lock()
	refused := s.admit(w.Header(), c, address{kind: "subscriptions"})
	var n *subscription
	if refused == nil {
		n, refused = s.readSubscription(c)
	}
	timeout := s.limits.ValidationTimeout
	s.mu.Unlock()
	if refused == nil && !s.proves(c.Context(), n.address, timeout) {
		a := refusal(http.StatusBadRequest, "ValidationError",
			"Subscription validation request failed. Notification endpoint must respond with 200 OK to validation request.")
		refused = &a
	}
	if refused != nil {
		refused.send(w)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store.subscriptions[n.id] = n
	body := s.renderSubscription(n)
	body["clientState"] = n.state
	answer{status: http.StatusCreated, body: body}.send(w)
}

// readSubscription parses a request. The caller holds the lock.
func (s *Server) readSubscription(c *call) (*subscription, *answer) {
	var in wireSubscription
	refuse := func(a answer) (*subscription, *answer) { return nil, &a }
	if json.Unmarshal(c.body, &in) != nil {
		return refuse(refusal(http.StatusBadRequest, "BadRequest", "Unable to read JSON request payload."))
	}
	d := s.driveOfResource(in.Resource)
	switch {
	case !s.mayNotify(in.Address):
		return refuse(refusal(http.StatusBadRequest, "InvalidRequest", "The notificationUrl must be an https address."))
	case in.ChangeType != "updated":
		return refuse(refusal(http.StatusBadRequest, "InvalidRequest", "The changeType must be updated for this resource."))
	case len(in.State) > maxClientState:
		return refuse(refusal(http.StatusBadRequest, "InvalidRequest", "The clientState is too long."))
	case d == nil:
		return refuse(refusal(http.StatusBadRequest, "ExtensionError", "Operation: Create; Exception: [Status Code: NotFound; Reason: Not Found]"))
	case d.site.isDenied, !s.settings.ReadOnlySubscriptions && !c.grant.allows("Files.ReadWrite.All", "Sites.ReadWrite.All"):
		return refuse(refusal(http.StatusForbidden, "ExtensionError", "Operation: Create; Exception: [Status Code: Forbidden; Reason: Access denied]"))
	}
	if refused := s.checkExpiry(in.Expires); refused != nil {
		return nil, refused
	}
	return &subscription{id: uuid.NewString(), grant: c.grant, drive: d, address: in.Address, state: in.State, expires: in.Expires}, nil
}

func (s *Server) driveOfResource(resource string) *drive {
	id, found := strings.CutPrefix("/"+strings.TrimPrefix(resource, "/"), "/drives/")
	id, isRoot := strings.CutSuffix(id, "/root")
	plain, err := url.PathUnescape(id)
	if !found || !isRoot || err != nil {
		return nil
	}
	return s.store.drives[plain]
}

func (s *Server) mayNotify(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "https" || s.options.LoopbackNotifications && onLoopback(u))
}

func (s *Server) checkExpiry(at time.Time) *answer {
	if now := s.Kit.Clock.Now(); at.After(now) && !at.After(now.Add(s.limits.SubscriptionLifetime)) {
		return nil
	}
	a := refusal(http.StatusBadRequest, "ValidationError",
		fmt.Sprintf("Subscription expiration can only be %d minutes in the future.", int(s.limits.SubscriptionLifetime.Minutes())))
	return &a
}

// proves reports whether an address repeats a token.
func (s *Server) proves(ctx context.Context, at string, timeout time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	u, err := url.Parse(at)
	if err != nil {
		return false
	}
	token := "Validation: Testing client application reachability for subscription " + newSecret()
	q := u.Query()
	q.Set("validationToken", token)
	u.RawQuery = q.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), nil)
	if err != nil {
		return false
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp, err := s.out.client.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	return err == nil && resp.StatusCode == http.StatusOK && bytes.Equal(body, []byte(token)) &&
		strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain")
}

// subscriptions serves requests for existing subscriptions. The caller holds the lock.
func (s *Server) subscriptions(c *call, at address) answer {
	if at.id == "" && c.Method == http.MethodGet {
		mine := s.subscriptionsOf(c.grant)
		return s.page(c, "subscriptions", len(mine), func(n int) object { return s.renderSubscription(mine[n]) })
	}
	n := s.store.subscriptions[at.id]
	if n == nil || n.grant.client != c.grant.client || n.grant.user != c.grant.user || !s.Kit.Clock.Now().Before(n.expires) {
		return refusal(http.StatusNotFound, "ResourceNotFound", "The object was not found.")
	}
	switch c.Method {
	case http.MethodGet:
		return fine(s.renderSubscription(n))
	case http.MethodDelete:
		delete(s.store.subscriptions, n.id)
		return answer{status: http.StatusNoContent}
	case http.MethodPatch:
		var in wireSubscription
		if json.Unmarshal(c.body, &in) != nil {
			return refusal(http.StatusBadRequest, "BadRequest", "Unable to read JSON request payload.")
		}
		if refused := s.checkExpiry(in.Expires); refused != nil {
			return *refused
		}
		n.expires = in.Expires
		return fine(s.renderSubscription(n))
	}
	return refusal(http.StatusMethodNotAllowed, "Request_BadRequest", "Specified HTTP method is not allowed for the request target.")
}

func (s *Server) subscriptionsOf(g *grant) (out []*subscription) {
	for _, n := range s.store.subscriptions {
		if n.grant.client == g.client && n.grant.user == g.user {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b *subscription) int { return strings.Compare(a.id, b.id) })
	return out
}

// notify notifies the subscriptions of a drive about a change. The caller holds the lock.
func (s *Server) notify(d *drive) {
	times := 1
	switch {
	case s.settings.DropNotifications:
		times = 0
	case s.settings.RepeatNotifications:
		times = 2
	}
	for _, n := range s.store.subscriptions {
		if n.drive != d || !s.Kit.Clock.Now().Before(n.expires) || n.grant.revoked {
			continue
		}
		body := oidc.JSON(object{"value": []object{{
			"subscriptionId": n.id, "clientState": n.state, "resource": strings.TrimPrefix(n.resource(), "/"), "changeType": "updated",
			"tenantId": s.options.Tenant, "resourceData": object{"@odata.type": "#Microsoft.Graph.DriveItem"},
			"subscriptionExpirationDateTime": n.expires.UTC().Format(time.RFC3339),
		}}})
		for range times {
			s.out.send(n, body)
		}
	}
}
