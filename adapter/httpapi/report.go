package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/gen/backend"
)

// defaultReportDays is the period of a report that states none.
const defaultReportDays = 30

// GetProcessingReport implements the operation getProcessingReport.
func (s *Server) GetProcessingReport(ctx context.Context, r backend.GetProcessingReportRequestObject) (backend.GetProcessingReportResponseObject, error) {
	days := defaultReportDays
	if r.Params.Days != nil {
		days = *r.Params.Days
	}
	_, report, err := s.Reports.Report(ctx, actor(ctx).OrganizationID, days)
	if err != nil {
		return nil, err
	}
	return backend.GetProcessingReport200JSONResponse{Body: convert.ToAPIReport(report)}, nil
}
