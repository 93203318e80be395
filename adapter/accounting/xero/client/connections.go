package client

import (
	"context"
	"net/http"

	"docledger/infrastructure/httpclient"
)

// Connection is a tenant that a token reaches.
type Connection struct {
	ID         string `json:"id"`
	Event      string `json:"authEventId"` // of the consent that connected it last
	TenantID   string `json:"tenantId"`
	TenantType string `json:"tenantType"`
	TenantName string `json:"tenantName"`
}

// TypeOrganization is the tenant type of companies; others belong to accountants.
const TypeOrganization = "ORGANISATION"

// Connections lists the tenants that a token reaches.
func (c *Client) Connections(ctx context.Context, a Access) ([]Connection, error) {
	a.Tenant = ""
	var out []Connection
	err := c.do(ctx, c.request("list connections", http.MethodGet, a, "connections"), &out)
	return out, err
}

// Disconnect removes a connection. One that does not exist is no error.
func (c *Client) Disconnect(ctx context.Context, a Access, id string) error {
	a.Tenant = ""
	err := c.do(ctx, c.request("delete connection", http.MethodDelete, a, "connections", id), nil)
	if httpclient.StatusOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}
