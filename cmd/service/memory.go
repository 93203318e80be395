package service

import (
	"log/slog"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/toolserver"
	"docledger/infrastructure/budget"
	"docledger/infrastructure/config"
	"docledger/infrastructure/memlimit"
)

// bodyMemory is what the bodies of running requests may take in this process,
// those of the API and of the tool server together.
type bodyMemory struct{ budget *budget.Budget }

func newBodyMemory(cfg config.Config) bodyMemory {
	return bodyMemory{budget.New(cfg.BodyMemory)}
}

// api leases for a request of the API. One organization takes at most half of
// the budget. Requests without a credential take a quarter together and a
// sixteenth from one address, so that they never keep out those who signed in.
func (m bodyMemory) api(o edge.Origin) edge.Lease {
	total := m.budget.Total()
	if o.Anonymous {
		return m.budget.Lease(budget.Share{Key: "anonymous", Max: total / 4}, budget.Share{Key: o.Key, Max: total / 16})
	}
	return m.budget.Lease(budget.Share{Key: o.Key, Max: total / 2})
}

// tools leases for a message of an assistant, whose caller takes at most a
// quarter: the API takes its part for the same call.
func (m bodyMemory) tools(caller string) toolserver.Lease {
	return m.budget.Lease(budget.Share{Key: "tools:" + caller, Max: m.budget.Total() / 4})
}

// childMemory is what a child process that reads documents usually takes of the
// container's memory; its limit is twice as much.
const childMemory = 192 << 20

// LimitMemory sets the runtime's memory limit from that of the container, unless
// GOMEMLIMIT did. A process that works jobs leaves room for its children.
func LimitMemory(cfg config.Config, work bool, log *slog.Logger) {
	children := int64(0)
	if work {
		children = int64(cfg.ExtractorProcs) * childMemory
	}
	if limit := memlimit.Set(memlimit.Root, children); limit > 0 {
		log.Info("memory limit set from the container", "bytes", limit)
	}
}
