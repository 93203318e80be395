// Generated from openapi/docledger.json by client/typescript/emit.mjs. DO NOT EDIT.

/** Every `error.code` that this release knows. */
export const errorCodes = [
  /** The request is malformed or a value is wrong; see `details.fields`. */
  'invalid_request',
  /** E-mail address or password is wrong. */
  'invalid_credentials',
  /** The token is missing, expired or not valid. */
  'unauthorized',
  /** The OAuth token carries no organization; choose one and sign in again. */
  'organization_required',
  /** The caller lacks the right to do this. */
  'forbidden',
  /** The plan's number of entities or invoices is used up. */
  'plan_limit_reached',
  /** There is no active plan, so nothing new can be added. */
  'subscription_inactive',
  /** There is no such thing, or it is not the caller's to see. */
  'not_found',
  /** The request does not fit the present state; see `details.status` and `details.allowed`. */
  'conflict',
  /** The record changed since; see `details.current_version`. */
  'version_conflict',
  /** The body is larger than allowed. */
  'payload_too_large',
  /** The content type is not one of those the operation takes. */
  'unsupported_media_type',
  /** The document cannot be read; see `details.failure`. */
  'unreadable_document',
  /** The document is none; see `details.failure`. */
  'not_an_invoice',
  /** Checks of the invoice failed and are not acknowledged; see `details.checks`. */
  'checks_failed',
  /** Not ready yet; ask again after Retry-After. */
  'still_processing',
  /** The signature of a webhook is missing or wrong. */
  'invalid_signature',
  /** A third party refuses our access; connect it again. */
  'provider_unauthorized',
  /** A third party does not answer. */
  'provider_unavailable',
  /** Too many requests; wait for Retry-After. */
  'rate_limited',
  /** A mistake on our side. */
  'internal',
  /** Something the service needs is down for the moment. */
  'unavailable',
] as const

/** An `error.code` that this release knows. */
export type KnownErrorCode = (typeof errorCodes)[number]
