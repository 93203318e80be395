package gdrive

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// channel is an address that receives notifications.
type channel struct {
	id, user, address, token string
	resource, uri            string
	file                     string // "" for all changes of the user, or of a shared drive
	drive                    string
	mine                     func(event) bool
	expires                  time.Time
	sent                     int // messages sent
}

type wireChannel struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	Address    string `json:"address"`
	Token      string `json:"token"`
	ResourceID string `json:"resourceId"`
	Expiration any    `json:"expiration"` // milliseconds, as text or number
	Params     any    `json:"params"`
	Payload    any    `json:"payload"`
}

// watchChanges is changes.watch.
func (s *Server) watchChanges(c *call) (object, *refusal) {
	mine, f := s.feed(c)
	if f != nil {
		return nil, f
	}
	if _, _, f := s.pageToken(c); f != nil {
		return nil, f
	}
	return s.open(c, &channel{drive: c.q.Get("driveId"), mine: mine, uri: "/changes"}, s.limits.MaxChangesChannel)
}

// watchFile is files.watch.
func (s *Server) watchFile(c *call) (object, *refusal) {
	one, f := s.file(c, c.PathValue("id"))
	if f != nil {
		return nil, f
	}
	mine := func(e event) bool { return e.file == one.id }
	return s.open(c, &channel{file: one.id, mine: mine, uri: "/files/" + one.id}, s.limits.MaxFileChannel)
}

// open creates a channel. Its first message confirms the creation.
func (s *Server) open(c *call, ch *channel, longest time.Duration) (object, *refusal) {
	var in wireChannel
	if json.Unmarshal(c.body, &in) != nil {
		return nil, unreadable()
	}
	now := s.Kit.Clock.Now()
	lifetime, f := s.lifetime(in.Expiration, now, longest)
	switch {
	case f != nil:
		return nil, f
	case in.ID == "" || len(in.ID) > 64:
		return nil, channelRefused("channelIdInvalid", "The channel id must be of 1 to 64 characters.")
	case s.channels[in.ID] != nil:
		return nil, channelRefused("channelIdNotUnique", "Channel id "+in.ID+" not unique")
	case in.Type != "web_hook" && in.Type != "webhook":
		return nil, channelRefused("channelTypeInvalid", "The channel type must be web_hook.")
	case !strings.HasPrefix(in.Address, "https://") && !isLoopback(in.Address):
		return nil, forbiddenAddress()
	case !isLoopback(in.Address) && !s.isVerified(in.Address):
		return nil, unverifiedAddress()
	case len(in.Token) > s.limits.MaxChannelToken:
		return nil, channelRefused("channelTokenInvalid", "The channel token is too long.")
	}
	ch.id, ch.user, ch.address, ch.token = in.ID, c.user, in.Address, in.Token
	ch.resource, ch.expires = newID()[:27], now.Add(lifetime)
	s.channels[ch.id] = ch
	s.send(ch, "sync")
	out := object{
		"kind": "api#channel", "id": ch.id, "resourceId": ch.resource, "resourceUri": s.options.Origin + "/drive/v3" + ch.uri + "?alt=json",
		"expiration": strconv.FormatInt(ch.expires.UnixMilli(), 10),
	}
	if ch.token != "" {
		out["token"] = ch.token
	}
	return out, nil
}

// lifetime is the requested lifetime of a channel, limited to the maximum.
func (s *Server) lifetime(asked any, now time.Time, longest time.Duration) (time.Duration, *refusal) {
	var milliseconds int64
	switch asked := asked.(type) {
	case nil:
		return min(s.limits.ChannelLifetime, longest), nil
	case float64:
		milliseconds = int64(asked)
	case string:
		var ok bool
		if milliseconds, ok = number(asked); !ok {
			return 0, channelRefused("channelExpirationInvalid", "The expiration is not a number.")
		}
	}
	left := time.UnixMilli(milliseconds).Sub(now)
	if left <= 0 {
		return 0, channelRefused("channelExpirationInvalid", "The expiration is in the past.")
	}
	return min(left, longest), nil
}

func channelRefused(reason, message string) *refusal {
	return &refusal{status: http.StatusBadRequest, domain: "global", reason: reason, message: message}
}

func forbiddenAddress() *refusal {
	return &refusal{status: http.StatusBadRequest, domain: "push", reason: "webhookUrlNotHttps", message: "WebHook callback must be HTTPS."}
}

// isVerified reports whether the host of an address is verified.
func (s *Server) isVerified(address string) bool {
	u, err := url.Parse(address)
	return err == nil && slices.Contains(s.settings.VerifiedHosts, u.Hostname())
}

func unverifiedAddress() *refusal {
	return &refusal{status: http.StatusUnauthorized, domain: "push", reason: "webhookUrlUnauthorized", message: "Unauthorized WebHook callback channel."}
}

// stopChannel is channels.stop.
func (s *Server) stopChannel(c *call) (object, *refusal) {
	var in wireChannel
	if json.Unmarshal(c.body, &in) != nil {
		return nil, unreadable()
	}
	ch := s.channels[in.ID]
	if ch == nil || ch.user != c.user || ch.resource != in.ResourceID || !s.Kit.Clock.Now().Before(ch.expires) {
		return nil, &refusal{status: http.StatusNotFound, domain: "global", reason: "notFound",
			message: "Channel '" + in.ID + "' not found for project"}
	}
	delete(s.channels, in.ID)
	return nil, nil
}

// announce notifies all channels about the latest event. The caller holds the lock.
func (s *Server) announce(fileState string) {
	e := s.store.events[len(s.store.events)-1]
	for _, ch := range s.channels {
		if !ch.mine(e) {
			continue
		}
		if !s.Kit.Clock.Now().Before(ch.expires) {
			delete(s.channels, ch.id)
			continue
		}
		if ch.file == "" {
			s.send(ch, "change")
		} else {
			s.send(ch, fileState)
		}
	}
}

// send sends a message to a channel. The caller holds the lock.
func (s *Server) send(ch *channel, state string) {
	ch.sent++
	if s.settings.DropNotifications {
		return
	}
	m := message{ch.address, http.Header{
		"X-Goog-Channel-Id":         {ch.id},
		"X-Goog-Channel-Expiration": {ch.expires.Format(http.TimeFormat)},
		"X-Goog-Resource-Id":        {ch.resource},
		"X-Goog-Resource-Uri":       {s.options.Origin + "/drive/v3" + ch.uri + "?alt=json"},
		"X-Goog-Resource-State":     {state},
		"X-Goog-Message-Number":     {strconv.Itoa(ch.sent)},
	}}
	if ch.token != "" {
		m.header.Set("X-Goog-Channel-Token", ch.token)
	}
	s.outbox.send(m)
	if s.settings.RepeatNotifications {
		s.outbox.send(m)
	}
}
