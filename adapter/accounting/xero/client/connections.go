package client

import (
	"context"
	"net/http"
)

// Connection is a tenant that a token reaches.
type Connection struct {
	ID         string `json:"id"`
	Event      string `json:"authEventId"` // of the consent that connected it last
	TenantID   string `json:"tenantId"`
	TenantType string `json:"tenantType"`
	TenantName string `json:"tenantName"`
}

// TypeOrganization is the tenant type of companies; others are of accountants.
const TypeOrganization = "ORGANISATION"

// Connections lists what a token reaches.
func (c *Client) Connections(ctx context.Context, a Access) ([]Connection, error) {
	a.Tenant = ""
	var out []Connection
	err := c.do(ctx, c.accounting("list connections", http.MethodGet, "/connections", a), &out)
	return out, err
}

// Disconnect takes a connection off. One that is off is no error.
func (c *Client) Disconnect(ctx context.Context, a Access, id string) error {
	const doing = "delete connection"
	a.Tenant = ""
	got, err := c.send(ctx, c.accounting(doing, http.MethodDelete, "/connections", a, id))
	if err != nil {
		return err
	}
	if got.status != http.StatusNoContent && got.status != http.StatusNotFound {
		return got.failure(doing)
	}
	return nil
}
