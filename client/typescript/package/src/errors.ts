import type { KnownErrorCode } from './errorCodes.js'
import type { ErrorDetails, Failure } from './generated/types.gen.js'

/** The members of `details` for certain codes, in addition to the common members. */
export interface DetailsByCode {
  version_conflict: { current_version?: number }
  conflict: { status?: string; allowed?: string[] }
  unreadable_document: { document_id?: string; failure?: Failure }
  not_an_invoice: { document_id?: string; failure?: Failure }
  still_processing: { document_id?: string; progress?: unknown }
  plan_limit_reached: { counter?: string; limit?: number }
  payload_too_large: { limit_bytes?: number }
}

/** The details of an error. */
export type DetailsOf<Code> = ErrorDetails & (Code extends keyof DetailsByCode ? DetailsByCode[Code] : unknown)

/** The base class of the errors of this client. */
abstract class Failed extends Error {
  /** The operation that failed, by its operationId. */
  readonly operation: string

  constructor(message: string, operation: string, options?: ErrorOptions) {
    super(message, options)
    this.operation = operation
  }
}

/** An error that the service returned in its error envelope. */
export class ApiError<Code extends string = KnownErrorCode> extends Failed {
  override readonly name = 'ApiError'
  /** The machine-readable reason. */
  readonly code: Code
  /** The HTTP status. */
  readonly status: number
  readonly details: DetailsOf<Code>
  /** The id of the request. Quote it in support requests. */
  readonly requestId: string
  /** The milliseconds to wait before a retry, if the service returned Retry-After. */
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

/** There was no response, or none of the service. */
export class ConnectionError extends Failed {
  override readonly name = 'ConnectionError'
  /**
   * `connection_failed`: the request could not be sent, or the response was lost.
   * `timed_out`: there was no response within the time limit.
   * `unexpected_answer`: an intermediary responded instead of the service.
   */
  readonly code: 'connection_failed' | 'timed_out' | 'unexpected_answer'
  /** The HTTP status, if there was a response. */
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
 * Every error that a call rejects with, identified by `code`. Later releases of
 * the service may add codes. Handle them in the `default` of a `switch`; treat
 * them like their `status`.
 */
export type DocledgerError = { [Code in KnownErrorCode]: ApiError<Code> }[KnownErrorCode] | ConnectionError

/** Reports whether error is an error that a call rejected with. */
export function isDocledgerError(error: unknown): error is DocledgerError {
  return error instanceof Failed
}

/** Reports whether the service returned an error with this code. */
export function hasCode<Code extends KnownErrorCode>(error: unknown, code: Code): error is ApiError<Code> {
  return error instanceof ApiError && error.code === code
}
