package config_test

import (
	"errors"
	"maps"
	"testing"

	"docledger/infrastructure/config"
)

// TestOutgoingEmail verifies the usual ports and what is refused.
func TestOutgoingEmail(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  map[string]string
		port string // "" if it is refused
		bad  string // the refused variable
	}{
		"none":                {nil, "587", ""},
		"usual":               {map[string]string{"EMAIL_SMTP_HOST": "smtp.example.com", "EMAIL_SMTP_FROM": "Answers@example.com"}, "587", ""},
		"TLS":                 {map[string]string{"EMAIL_SMTP_HOST": "smtp.example.com", "EMAIL_SMTP_FROM": "a@example.com", "EMAIL_SMTP_TLS": "tls"}, "465", ""},
		"own port":            {map[string]string{"EMAIL_SMTP_HOST": "::1", "EMAIL_SMTP_FROM": "a@example.com", "EMAIL_SMTP_PORT": "2525"}, "2525", ""},
		"plain on loopback":   {map[string]string{"EMAIL_SMTP_HOST": "127.0.0.1", "EMAIL_SMTP_FROM": "a@example.com", "EMAIL_SMTP_TLS": "off", "EMAIL_SMTP_USER": "u", "EMAIL_SMTP_PASSWORD": canary}, "25", ""},
		"plain password":      {map[string]string{"EMAIL_SMTP_HOST": "smtp.example.com", "EMAIL_SMTP_FROM": "a@example.com", "EMAIL_SMTP_TLS": "off", "EMAIL_SMTP_USER": "u", "EMAIL_SMTP_PASSWORD": canary}, "", "EMAIL_SMTP_TLS"},
		"no sender":           {map[string]string{"EMAIL_SMTP_HOST": "smtp.example.com"}, "", "EMAIL_SMTP_FROM"},
		"no address":          {map[string]string{"EMAIL_SMTP_HOST": "smtp.example.com", "EMAIL_SMTP_FROM": "Shop <a@example.com>"}, "", "EMAIL_SMTP_FROM"},
		"a user alone":        {map[string]string{"EMAIL_SMTP_HOST": "smtp.example.com", "EMAIL_SMTP_FROM": "a@example.com", "EMAIL_SMTP_USER": "u"}, "", "EMAIL_SMTP_PASSWORD"},
		"a host with a port":  {map[string]string{"EMAIL_SMTP_HOST": "smtp.example.com:25", "EMAIL_SMTP_FROM": "a@example.com"}, "", "EMAIL_SMTP_HOST"},
		"unknown encryption":  {map[string]string{"EMAIL_SMTP_HOST": "smtp.example.com", "EMAIL_SMTP_FROM": "a@example.com", "EMAIL_SMTP_TLS": "maybe"}, "", "EMAIL_SMTP_TLS"},
		"a port out of range": {map[string]string{"EMAIL_SMTP_HOST": "smtp.example.com", "EMAIL_SMTP_FROM": "a@example.com", "EMAIL_SMTP_PORT": "70000"}, "", "EMAIL_SMTP_PORT"},
	} {
		env := valid()
		maps.Copy(env, c.set)
		got, err := config.Load(from(env))
		var problems config.Error
		switch {
		case c.bad == "" && (err != nil || got.Email.Outgoing.Port != c.port):
			t.Errorf("%s: port %q, %v", name, got.Email.Outgoing.Port, err)
		case c.bad != "" && (!errors.As(err, &problems) || len(problems) != 1 || problems[0].Variable != c.bad):
			t.Errorf("%s: %v", name, err)
		}
	}
}
