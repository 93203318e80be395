import type { KnownErrorCode } from './errorCodes.js'
import type { ErrorDetails, Failure } from './generated/types.gen.js'

/** What stands in `details` of certain codes, beside what stands there always. */
export interface DetailsByCode {
  version_conflict: { current_version?: number }
  conflict: { status?: string; allowed?: string[] }
  unreadable_document: { document_id?: string; failure?: Failure }
  not_an_invoice: { document_id?: string; failure?: Failure }
  still_processing: { document_id?: string; progress?: unknown }
  plan_limit_reached: { counter?: string; limit?: number }
  payload_too_large: { limit_bytes?: number }
}

/** Facts about an error. */
export type DetailsOf<Code> = ErrorDetails & (Code extends keyof DetailsByCode ? DetailsByCode[Code] : unknown)

/** What every error of this client has. */
abstract class Failed extends Error {
  /** The operation that failed, by its operationId. */
  readonly operation: string

  constructor(message: string, operation: string, options?: ErrorOptions) {
    super(message, options)
    this.operation = operation
  }
}

/** The service's own refusal: what its error envelope says. */
export class ApiError<Code extends string = KnownErrorCode> extends Failed {
  override readonly name = 'ApiError'
  /** The machine-readable reason. */
  readonly code: Code
  /** The HTTP status. */
  readonly status: number
  readonly details: DetailsOf<Code>
  /** The service's own id of the request; quote it when asking for help. */
  readonly requestId: string
  /** After how many milliseconds it is worth trying again, where the service says so. */
  readonly retryAfterMs: number | undefined

  constructor(
    operation: string,
    status: number,
    error: { code: Code; message: string; details: DetailsOf<Code> },
    requestId: string,
    retryAfterMs?: number,
  ) {
    super(error.message, operation)
    this.code = error.code
    this.status = status
    this.details = error.details
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
  }
}

/** There was no answer, or none that the service gives. */
export class ConnectionError extends Failed {
  override readonly name = 'ConnectionError'
  /**
   * `connection_failed`: the request could not be sent, or the answer was lost.
   * `timed_out`: there was no answer in time.
   * `unexpected_answer`: something on the way answered in the service's place.
   */
  readonly code: 'connection_failed' | 'timed_out' | 'unexpected_answer'
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined
  readonly requestId: string | undefined

  constructor(
    operation: string,
    code: ConnectionError['code'],
    message: string,
    more: { status?: number; requestId?: string; cause?: unknown } = {},
  ) {
    super(message, operation, { cause: more.cause })
    this.code = code
    this.status = more.status
    this.requestId = more.requestId
  }
}

/**
 * Every error that a call rejects with, told apart by `code`. The service's
 * list is open: a code that this release doesn't know comes to the `default` of
 * a `switch`; treat it like its `status`.
 */
export type DocledgerError = { [Code in KnownErrorCode]: ApiError<Code> }[KnownErrorCode] | ConnectionError

/** Says whether a call rejected with it, and not some other mistake. */
export function isDocledgerError(error: unknown): error is DocledgerError {
  return error instanceof Failed
}

/** Says whether the service refused with this code. */
export function hasCode<Code extends KnownErrorCode>(error: unknown, code: Code): error is ApiError<Code> {
  return error instanceof ApiError && error.code === code
}
