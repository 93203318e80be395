export { Docledger } from './docledger.js'
export { errorCodes, type KnownErrorCode } from './errorCodes.js'
export { ApiError, ConnectionError, type DetailsByCode, type DetailsOf, type DocledgerError, hasCode, isDocledgerError } from './errors.js'
export type {
  Answer,
  Call,
  CallOptions,
  DocledgerOptions,
  Parameters,
  Progress,
  RetryOptions,
  TokenSource,
  UploadCall,
  UploadOptions,
} from './options.js'
export { type Page, Pages } from './pages.js'
export { verifyWebhook, type WebhookEvent, type WebhookEventType, type WebhookSubjectType, WebhookVerificationError } from './webhook.js'
export type * from './generated/types.gen.js'
