package service

import (
	"log/slog"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/toolserver"
	"docledger/infrastructure/budget"
	"docledger/infrastructure/config"
	"docledger/infrastructure/memlimit"
)

// bodyMemory is the memory that the bodies of running requests may use in this process, for the
// API and the tool server together.
type bodyMemory struct{ budget *budget.Budget }

func newBodyMemory(cfg config.Config) bodyMemory {
	return bodyMemory{budget.New(cfg.BodyMemory)}
}

// api leases memory for a request of the API. One organization uses at most half of the budget.
// Requests without a credential use at most a quarter together and a sixteenth per address, so
// that they never block signed-in callers.
func (m bodyMemory) api(o edge.Origin) edge.Lease {
	total := m.budget.Total()
	if o.Anonymous {
		return m.budget.Lease(budget.Share{Key: "anonymous", Max: total / 4}, budget.Share{Key: o.Key, Max: total / 16})
	}
	return m.budget.Lease(budget.Share{Key: o.Key, Max: total / 2})
}

// tools leases memory for a message of an assistant. Its caller uses at most a quarter, because
// the API uses its own part for the same call.
func (m bodyMemory) tools(caller string) toolserver.Lease {
	return m.budget.Lease(budget.Share{Key: "tools:" + caller, Max: m.budget.Total() / 4})
}

// childMemory is the usual memory of a child process that reads documents; its limit is twice as
// much.
const childMemory = 192 << 20

// LimitMemory sets the runtime's memory limit from the container's limit, unless GOMEMLIMIT did. root
// is memlimit.Root.
// A process that works jobs leaves memory for its child processes.
func LimitMemory(cfg config.Config, root string, work bool, log *slog.Logger) {
	children := int64(0)
	if work {
		children = int64(cfg.ExtractorProcs) * childMemory
	}
	if limit := memlimit.Set(root, children); limit > 0 {
		log.Info("memory limit set from the container", "bytes", limit)
	}
}
