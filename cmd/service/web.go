package service

import (
	"docledger/adapter/httpapi/signin"
	"docledger/adapter/webapp"
)

// webPages returns the sign-in page and the web application. The application
// shows the sign-in page unless WEB_URL names a separate one.
func (s *Service) webPages() (*signin.Page, *webapp.App, error) {
	app, err := webapp.New()
	if err != nil {
		return nil, nil, err
	}
	page := &signin.Page{Loopback: s.cfg.Environment.Rules().LoopbackSignIn, Log: s.log}
	switch {
	case s.cfg.WebURL != s.cfg.BaseURL:
		page.WebURL = s.cfg.WebURL
	case app.Available():
		page.App = app.Serve
	}
	if s.provider != nil {
		page.Hosts = s.provider.Key.SignInHosts()
	}
	return page, app, nil
}
