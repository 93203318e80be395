package client

import (
	"context"
	"net/http"

	"docledger/infrastructure/httpclient"
)

// Connection is a tenant that a token can access.
type Connection struct {
	ID         string `json:"id"`
	Event      string `json:"authEventId"` // of the most recent consent that connected the tenant
	TenantID   string `json:"tenantId"`
	TenantType string `json:"tenantType"`
	TenantName string `json:"tenantName"`
}

// TypeOrganization is the tenant type of companies; others belong to accountants.
const TypeOrganization = "ORGANISATION"

// Connections lists the tenants that a token can access.
func (c *Client) Connections(ctx context.Context, a Access) ([]Connection, error) {
	a.Tenant = ""
	var out []Connection
	err := c.do(ctx, c.request("list connections", http.MethodGet, a, "connections"), &out)
	return out, err
}

// Disconnect removes a connection. It returns nil if the connection does not exist.
func (c *Client) Disconnect(ctx context.Context, a Access, id string) error {
	a.Tenant = ""
	err := c.do(ctx, c.request("delete connection", http.MethodDelete, a, "connections", id), nil)
	if httpclient.StatusOf(err) == http.StatusNotFound {
		return nil
	}
	return err
}
