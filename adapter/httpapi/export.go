package httpapi

import (
	"context"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/httpapi/export"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/invoice"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// ExportInvoices implements the operation exportInvoices.
func (s *Server) ExportInvoices(ctx context.Context, r backend.ExportInvoicesRequestObject) (backend.ExportInvoicesResponseObject, error) {
	f, err := invoiceFilter(ctx, exportFilters(r.Params))
	if err != nil {
		return nil, err
	}
	if err := s.visible(ctx, f.EntityID); err != nil {
		return nil, err
	}
	e := export.Export{Format: export.CSV, Rows: invoice.ExportInvoices, Style: export.International, TempDir: s.TempDir}
	if r.Params.Format != nil {
		e.Format = export.Format(*r.Params.Format)
	}
	if r.Params.Rows != nil {
		e.Rows = invoice.ExportRows(*r.Params.Rows)
	}
	if r.Params.Style != nil {
		e.Style = export.Style(*r.Params.Style)
	}
	leave, err := s.exportSlots.enter(actor(ctx).OrganizationID)
	if err != nil {
		return nil, err
	}
	out := s.exportOf(ctx, e, f)
	out.leave = leave
	return out, nil
}

// The numbers of exports that run at the same time in this process. Each holds up to 1,000
// invoices with their lines while its reader is slow.
const (
	exportsPerOrganization = 2
	exportsPerProcess      = 4
)

// exportSlots limits the exports that run at the same time. The zero value is ready to use.
type exportSlots struct {
	mu      sync.Mutex
	running map[uuid.UUID]int // by organization
	all     int
}

// enter admits an export of an organization, or returns an Unavailable fault. leave ends it.
func (x *exportSlots) enter(organization uuid.UUID) (leave func(), err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.all >= exportsPerProcess || x.running[organization] >= exportsPerOrganization {
		return nil, fault.New(fault.Unavailable, fault.CodeUnavailable, "Too many exports run at the moment. Retry the request after Retry-After.")
	}
	if x.running == nil {
		x.running = map[uuid.UUID]int{}
	}
	x.running[organization]++
	x.all++
	return sync.OnceFunc(func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.all--
		if x.running[organization]--; x.running[organization] == 0 {
			delete(x.running, organization)
		}
	}), nil
}

// exportOf returns the response with an export for the caller.
func (s *Server) exportOf(ctx context.Context, e export.Export, f invoice.Filter) exported {
	a := actor(ctx)
	response, step := edge.LongResponse(ctx)
	e.Each = func(visit func([]invoice.Exported) error) error {
		return s.Exports.Export(response, a.Scope(), f, e.Rows, step, visit)
	}
	e.Original = func(id uuid.UUID) (*document.Document, io.ReadSeekCloser, error) {
		ctx, end := context.WithCancelCause(response)
		late := time.AfterFunc(step, func() { end(context.DeadlineExceeded) })
		d, content, err := s.Documents.Content(ctx, a, id)
		late.Stop()
		if err != nil {
			end(nil)
			return d, nil, err
		}
		return d, openOriginal{content, end}, nil
	}
	out := exported{Export: e, name: e.Filename(s.Clock.Now()), stall: readerStalls}
	out.end, _ = response.Deadline()
	return out
}

// openOriginal is an open original. Its bytes may be read for as long as the response can take.
type openOriginal struct {
	io.ReadSeekCloser
	end context.CancelCauseFunc
}

func (o openOriginal) Close() error {
	defer o.end(nil)
	return o.ReadSeekCloser.Close()
}

// exported is an export as a response. An error after the first bytes ends the connection, so that
// no caller takes a part for the whole.
type exported struct {
	export.Export
	name  string
	leave func()        // ends the export in the limit of exports
	stall time.Duration // as readerStalls
	end   time.Time     // the time limit of the response; zero: none
}

// VisitExportInvoicesResponse implements the generated response.
func (e exported) VisitExportInvoicesResponse(w http.ResponseWriter) error {
	defer e.leave()
	e.describe(w.Header())
	return e.Write(&steadyWriter{to: w, connection: http.NewResponseController(w), stall: e.stall, end: e.end})
}

// describe sets the headers of the export.
func (e exported) describe(h http.Header) {
	h.Set("Content-Type", e.MediaType())
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": e.name}))
	h.Set("Cache-Control", "private, no-store")
}

// readerStalls is the time after which an export ends if its reader accepts fewer bytes than
// readerAccepts. Few exports run at the same time, and others wait for its place.
const readerStalls = time.Minute

// readerAccepts is what suffices within readerStalls. It is more than steadyChunk, because the
// system reports progress to a blocked writer only after a part of what it holds is sent, which
// httpserver limits.
const readerAccepts = 128 << 10

// steadyChunk is what a write has readerStalls for.
const steadyChunk = 32 << 10

// steadyWriter writes to a connection, and fails when the reader accepts too little.
type steadyWriter struct {
	to         io.Writer
	connection *http.ResponseController
	stall      time.Duration
	end        time.Time
}

func (s *steadyWriter) Write(p []byte) (written int, err error) {
	for first := true; first || len(p) > 0; first = false {
		limit := time.Now().Add(s.stall)
		if !s.end.IsZero() && s.end.Before(limit) {
			limit = s.end
		}
		// The error is ignored, because a test has no connection.
		_ = s.connection.SetWriteDeadline(limit)
		n, err := s.to.Write(p[:min(len(p), steadyChunk)])
		written += n
		if err != nil {
			return written, err
		}
		p = p[n:]
	}
	return written, nil
}

// exportFilters returns the filters of an export as those of a list.
func exportFilters(p backend.ExportInvoicesParams) backend.ListInvoicesParams {
	return backend.ListInvoicesParams{
		EntityId: p.EntityId, Status: p.Status, DocumentType: p.DocumentType,
		IssueDateFrom: p.IssueDateFrom, IssueDateTo: p.IssueDateTo, DueDateFrom: p.DueDateFrom, DueDateTo: p.DueDateTo,
		CreatedFrom: p.CreatedFrom, CreatedTo: p.CreatedTo, UpdatedSince: p.UpdatedSince, GrossMin: p.GrossMin, GrossMax: p.GrossMax,
		Currency: p.Currency, FailedCheck: p.FailedCheck, HasDuplicate: p.HasDuplicate, SyncState: p.SyncState, Source: p.Source, CreatedBy: p.CreatedBy, AssignedTo: p.AssignedTo,
		ExternalId: p.ExternalId, SupplierId: p.SupplierId, Q: p.Q,
	}
}
