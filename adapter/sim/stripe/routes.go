package stripe

// register adds every route of the API.
func (s *Server) register() {
	s.registerAccount()
	s.registerCustomers()
	s.registerCatalogue()
	s.registerPaymentMethods()
	s.registerSubscriptions()
	s.registerInvoices()
	s.registerInvoiceItems()
	s.registerSessions()
	s.registerEvents()
	s.registerEndpoints()
}

// reader adds the route that returns one object of a kind.
func reader[T record](s *Server, path, what string) {
	s.on("GET "+path+"/{id}", func(c *call) (any, *apiError) {
		r, ok := find[T](s, c.at("id"))
		if !ok {
			return nil, noSuch(what, c.at("id"))
		}
		return r, c.done()
	})
}
