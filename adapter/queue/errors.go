package queue

import (
	"context"
	"log/slog"

	"docledger/domain/job"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// errorHandler logs failed jobs, and discards a job after the attempts of its kind.
type errorHandler struct{ log *slog.Logger }

// HandleError implements river.ErrorHandler.
func (h *errorHandler) HandleError(ctx context.Context, j *rivertype.JobRow, err error) *river.ErrorHandlerResult {
	return h.handle(ctx, j, "error", err)
}

// HandlePanic implements river.ErrorHandler.
func (h *errorHandler) HandlePanic(ctx context.Context, j *rivertype.JobRow, value any, trace string) *river.ErrorHandlerResult {
	return h.handle(ctx, j, "panic", value, "trace", trace)
}

func (h *errorHandler) handle(ctx context.Context, j *rivertype.JobRow, cause ...any) *river.ErrorHandlerResult {
	k, _ := job.ByName(j.Kind)
	last := j.Attempt >= k.Attempts
	level, message := slog.LevelWarn, "job failed, will be retried"
	if last {
		level, message = slog.LevelError, "job failed permanently"
	}
	h.log.Log(ctx, level, message, append([]any{"job", j.ID, "kind", j.Kind, "attempt", j.Attempt}, cause...)...)
	return &river.ErrorHandlerResult{SetCancelled: last}
}

// warnings forwards River's log messages from level warning; lower levels describe River's
// internals.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (w warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && w.Handler.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{w.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (w warnings) WithGroup(name string) slog.Handler { return warnings{w.Handler.WithGroup(name)} }
