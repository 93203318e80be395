// Generated from openapi/docledger.json by client/typescript/emit.mjs. DO NOT EDIT.

/** Every `error.code` of this release. */
export const errorCodes = [
  /** The request is malformed or a value is invalid; see `details.fields`. */
  'invalid_request',
  /** The e-mail address or the password is wrong. */
  'invalid_credentials',
  /** The token is missing, expired or not valid. */
  'unauthorized',
  /** The OAuth token names no organization; choose one and sign in again. */
  'organization_required',
  /** The caller has no permission. */
  'forbidden',
  /** The entity limit or invoice limit of the plan is reached. */
  'plan_limit_reached',
  /** There is no active plan; new records are refused. */
  'subscription_inactive',
  /** The record does not exist, or the caller may not see it. */
  'not_found',
  /** The current state does not allow the operation; see `details.status` and `details.allowed`. */
  'conflict',
  /** The record has changed; see `details.current_version`. */
  'version_conflict',
  /** The body is larger than allowed. */
  'payload_too_large',
  /** The operation does not accept the content type. */
  'unsupported_media_type',
  /** The document cannot be read; see `details.failure`. */
  'unreadable_document',
  /** The document is not an invoice; see `details.failure`. */
  'not_an_invoice',
  /** Checks of the invoice failed and are not acknowledged; see `details.checks`. */
  'checks_failed',
  /** The result is not ready yet; retry after Retry-After. */
  'still_processing',
  /** The signature of a webhook is missing or wrong. */
  'invalid_signature',
  /** A third party refuses the credentials; reconnect it. */
  'provider_unauthorized',
  /** A third party is unavailable. */
  'provider_unavailable',
  /** The operator must complete the setup at a third party; see `details.provider`. */
  'provider_setup_incomplete',
  /** A third party refuses the request for a reason of its own; see `details.provider`. */
  'provider_refused',
  /** The organization already pays in another currency; choose a plan in that currency. */
  'currency_mixed',
  /** Too many requests; wait for Retry-After. */
  'rate_limited',
  /** An internal error. */
  'internal',
  /** A dependency of the service is unavailable. */
  'unavailable',
] as const

/** An `error.code` of this release. */
export type KnownErrorCode = (typeof errorCodes)[number]
