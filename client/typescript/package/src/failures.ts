import { ApiError, ConnectionError, type DetailsOf } from './errors.js'
import type { KnownErrorCode } from './errorCodes.js'
import type { ErrorEnvelope } from './generated/types.gen.js'
import { type Retries, retryAfterMs } from './retry.js'

/** The result of one attempt of a call. */
export interface Attempt {
  response?: Response
  data?: unknown
  error?: unknown
}

/** Returns the error of a failed attempt. */
export function failureOf(operation: string, { response, error }: Attempt): ApiError | ConnectionError {
  const requestId = response?.headers.get('X-Request-Id') ?? undefined
  if (response && isEnvelope(error)) {
    const { code, message, details } = error.error
    const known = { code: code as KnownErrorCode, message, details: details as DetailsOf<KnownErrorCode> }
    return new ApiError(operation, response.status, known, requestId ?? details.request_id, retryAfterMs(response.headers))
  }
  if (response) {
    const text = `An intermediary responded with status ${response.status} instead of the service.`
    return new ConnectionError(operation, 'unexpected_answer', text, { status: response.status, requestId, cause: error })
  }
  switch (error instanceof Error ? error.name : '') {
    case 'TimeoutError':
      return new ConnectionError(operation, 'timed_out', 'The service did not respond within the time limit.', { cause: error })
    case 'SyntaxError':
      return new ConnectionError(operation, 'unexpected_answer', 'The response is not JSON.', { cause: error })
    default: {
      const text = 'The service could not be reached, or the connection was lost.'
      return new ConnectionError(operation, 'connection_failed', text, { cause: error })
    }
  }
}

/** Returns the delay in milliseconds before the retry of a repeatable call; undefined to give up. */
export function pauseAfter(failure: ApiError | ConnectionError, headers: Headers | undefined, retries: Retries): number | undefined {
  if (headers === undefined || failure.status === undefined) {
    return failure.code === 'unexpected_answer' ? undefined : retries.afterSilence()
  }
  if (failure.code === 'still_processing') {
    return retries.afterUnfinished(headers)
  }
  return retries.afterRefusal(failure.status, headers)
}

function isEnvelope(value: unknown): value is ErrorEnvelope {
  const error = (value as Partial<ErrorEnvelope> | null | undefined)?.error
  return typeof error?.code === 'string' && typeof error.message === 'string' && typeof error.details === 'object'
}
