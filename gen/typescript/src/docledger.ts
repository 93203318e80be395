// Generated from openapi/docledger.json by client/typescript/emit.mjs. DO NOT EDIT.

import * as sdk from './generated/sdk.gen.js'
import type * as types from './generated/types.gen.js'
import type { Answer, Call, DocledgerOptions, UploadCall } from './options.js'
import type { Pages } from './pages.js'
import { Transport } from './transport.js'

/** The docledger API. Each operation is a method, named by its operationId. */
export class Docledger {
  readonly #transport: Transport

  constructor(options: DocledgerOptions) {
    this.#transport = new Transport(options)
  }

  /**
   * List API keys
   *
   * All API keys of the organization, newest first, including expired and revoked ones.
   * No response repeats the secret of a key.
   */
  listApiKeys(options: Call<types.ListApiKeysData> = {}): Pages<types.ListApiKeysResponse> {
    return this.#transport.list({ id: 'listApiKeys', safe: true }, sdk.listApiKeys, options, 'cursor')
  }

  /**
   * Create an API key
   *
   * Creates a credential for a program. Send the secret as `Authorization: Bearer`. The
   * response is the only one that contains it.
   *
   * A key acts with its role on its entities, or on every entity if `entity_ids` is
   * absent. It is not accepted for sign-in, billing, API keys, webhooks, consent and
   * setup of integrations, and by the tool server. A key with the role `ADMIN` has the
   * role `APPROVER` on every entity and can also create entities. The
   * installation must allow such keys (`ADMIN_API_KEYS`); otherwise the error is 403.
   *
   * An organization can have 50 keys that are neither expired nor revoked.
   * An event `api_key.expiring` is recorded 14 days before the key expires.
   */
  createApiKey(options: Call<types.CreateApiKeyData>): Promise<Answer<types.CreateApiKeyResponse>> {
    return this.#transport.call({ id: 'createApiKey' }, sdk.createApiKey, options)
  }

  /**
   * Revoke an API key
   *
   * Revokes the key. The next request with it gets 401. A revoked key stays in the list.
   */
  revokeApiKey(options: Call<types.RevokeApiKeyData>): Promise<Answer<types.RevokeApiKeyResponse>> {
    return this.#transport.call({ id: 'revokeApiKey' }, sdk.revokeApiKey, options)
  }

  /**
   * List what needs a person
   *
   * What the caller can do something about, in all entities: the most severe items
   * first, of equal ones the oldest first. An item disappears when its cause ends.
   * At most 500 items; archived entities have none.
   */
  listAttention(options: Call<types.ListAttentionData> = {}): Promise<Answer<types.ListAttentionResponse>> {
    return this.#transport.call({ id: 'listAttention', safe: true }, sdk.listAttention, options)
  }

  /**
   * Sign in
   *
   * Returns a token for one organization. Without `organization_id`, this is the
   * organization that the user used last, or else the oldest membership. The error
   * is the same for an unknown e-mail address and for a wrong password.
   */
  login(options: Call<types.LoginData>): Promise<Answer<types.LoginResponse>> {
    return this.#transport.call({ id: 'login', open: true }, sdk.login, options)
  }

  /**
   * Sign out
   *
   * Ends the session of the bearer token. All tokens of the session become
   * invalid at once. End a token of the identity provider at the identity
   * provider.
   */
  logout(options: Call<types.LogoutData> = {}): Promise<Answer<types.LogoutResponse>> {
    return this.#transport.call({ id: 'logout' }, sdk.logout, options)
  }

  /**
   * Change the password of the caller
   *
   * Changes the password of a local account. All sessions of the account end,
   * including this one. Returns a token of a new session. A wrong current
   * password counts as a failed sign-in. If the identity provider manages the
   * password, the error is `conflict`.
   */
  changePassword(options: Call<types.ChangePasswordData>): Promise<Answer<types.ChangePasswordResponse>> {
    return this.#transport.call({ id: 'changePassword' }, sdk.changePassword, options)
  }

  /**
   * Refresh the token
   *
   * Returns a new token for the session of the bearer token. The bearer token
   * must not have expired. With `organization_id`, the new token is for that
   * organization. The earlier token stays valid for 60 seconds. Refreshing it
   * later ends the session; any other call with it is `unauthorized`. A session
   * ends after 14 days or when the password changes.
   */
  refreshToken(options: Call<types.RefreshTokenData> = {}): Promise<Answer<types.RefreshTokenResponse>> {
    return this.#transport.call({ id: 'refreshToken' }, sdk.refreshToken, options)
  }

  /**
   * List the sessions of the caller
   *
   * The active sessions of the caller in all organizations, newest first.
   */
  listSessions(options: Call<types.ListSessionsData> = {}): Pages<types.ListSessionsResponse> {
    return this.#transport.list({ id: 'listSessions', safe: true }, sdk.listSessions, options, 'cursor')
  }

  /**
   * End a session
   *
   * Ends one session of the caller, for example that of a lost device. All
   * tokens of the session become invalid at once.
   */
  endSession(options: Call<types.EndSessionData>): Promise<Answer<types.EndSessionResponse>> {
    return this.#transport.call({ id: 'endSession' }, sdk.endSession, options)
  }

  /**
   * Get the plan and its usage
   *
   * Returns the plan of the caller's organization, its usage, the trial (without a
   * subscription) and alerts. Without a payment processor, the plan is
   * `self_hosted`, active and unlimited.
   *
   * If the payment processor is unavailable and no recent plan is known, the error
   * is `provider_unavailable`.
   */
  getBilling(options: Call<types.GetBillingData> = {}): Promise<Answer<types.GetBillingResponse>> {
    return this.#transport.call({ id: 'getBilling', safe: true }, sdk.getBilling, options)
  }

  /**
   * Create a checkout session
   *
   * Returns the URL of a page of the payment processor, where the organization
   * subscribes to a plan. The periods of the subscription begin on the 1st of a
   * month at 00:00 UTC. A monthly price is charged at once for the current month.
   * A price of another interval is charged pro rata for the days before the first
   * period. The operator must allow the origins of both return URLs. Without a
   * payment processor, the error is `not_found`.
   *
   * An organization has one subscription. While it has one that has not ended, the
   * error is `conflict` with `details.subscription_status`; createPortalSession
   * changes its plan. A new page closes the earlier pages.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  createCheckoutSession(options: Call<types.CreateCheckoutSessionData>): Promise<Answer<types.CreateCheckoutSessionResponse>> {
    return this.#transport.call({ id: 'createCheckoutSession', keyed: true }, sdk.createCheckoutSession, options)
  }

  /**
   * List the plans
   *
   * All prices of the plans for sale. The list is complete; `next_cursor` is always
   * null. Without a payment processor, the error is `not_found`.
   */
  listPlans(options: Call<types.ListPlansData> = {}): Pages<types.ListPlansResponse> {
    return this.#transport.list({ id: 'listPlans', safe: true }, sdk.listPlans, options, undefined)
  }

  /**
   * Create a billing portal session
   *
   * Returns the URL of a page of the payment processor, where the organization
   * changes or ends its subscription, manages payment methods and addresses, and
   * reads its bills. The operator must allow the origin of the return URL. Without
   * a payment processor, the error is `not_found`.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  createPortalSession(options: Call<types.CreatePortalSessionData>): Promise<Answer<types.CreatePortalSessionResponse>> {
    return this.#transport.call({ id: 'createPortalSession' }, sdk.createPortalSession, options)
  }

  /**
   * Get the usage by entity
   *
   * The number of documents per entity that were first extracted as invoices in a
   * month (UTC). The items add up exactly to the total, which counts towards the
   * plan limit. Entities that the caller may not see are one item, whose
   * `entity_id` is null. Moving, archiving or deleting records later does not
   * reduce the numbers of a month.
   */
  getBillingUsage(options: Call<types.GetBillingUsageData> = {}): Promise<Answer<types.GetBillingUsageResponse>> {
    return this.#transport.call({ id: 'getBillingUsage', safe: true, answers: 'text' }, sdk.getBillingUsage, options)
  }

  /**
   * List documents
   *
   * The documents of one entity, newest first unless `sort` is set. Without
   * `entity_id`, of all entities that the caller can access. Filters combine; a
   * repeated filter matches any of its values. A cursor is valid only with the
   * filters and the sort order that it was returned for.
   */
  listDocuments(options: Call<types.ListDocumentsData> = {}): Pages<types.ListDocumentsResponse> {
    return this.#transport.list({ id: 'listDocuments', safe: true }, sdk.listDocuments, options, 'cursor')
  }

  /**
   * Merge documents
   *
   * Makes one PDF of the pages of PDFs and images of an entity, in the given order.
   * Pages can be left out and turned. The originals stay. Their open invoices are
   * rejected; 400 `conflict` if one is approved or synced. The new document is
   * extracted if `auto_extract` is on. Data that is embedded in a PDF is not kept.
   * At most 500 pages and 64 MiB.
   */
  mergeDocuments(options: Call<types.MergeDocumentsData>): Promise<Answer<types.MergeDocumentsResponse>> {
    return this.#transport.call({ id: 'mergeDocuments', keyed: true }, sdk.mergeDocuments, options)
  }

  /**
   * Upload a document
   *
   * Accepts the file as `multipart/form-data` (parts in any order) or as JSON with
   * base64 content, both as a stream. The default limits are 32 MiB for a JSON body
   * and 256 MiB for a multipart file. A client that can send HTTP requests better uses
   * `createUploadLink` or multipart; base64 is for clients without access to files. If the entity already has a document with the
   * same bytes, returns that document with `duplicate: true`; a FAILED document is
   * extracted again. If `auto_extract` is on, extraction starts automatically.
   */
  uploadDocument(options: UploadCall<types.UploadDocumentData>): Promise<Answer<types.UploadDocumentResponse>> {
    return this.#transport.call({ id: 'uploadDocument', keyed: true, form: true }, sdk.uploadDocument, options)
  }

  /**
   * Create an upload link
   *
   * Returns an address to which files can be sent without further sign-in: with PUT
   * or POST of the bytes, as a form, or on its page in a browser. A file may have the
   * size of `uploadDocument` as multipart (256 MiB by default). The files belong to
   * the caller. The rights of the caller are checked again for each file. A failed
   * upload does not count. Everyone who knows the address can use it until it ends.
   *
   * An answer to an upload is `items`, with `document_id`, `filename`, `size_bytes` and
   * `duplicate` of each file.
   */
  createUploadLink(options: Call<types.CreateUploadLinkData>): Promise<Answer<types.CreateUploadLinkResponse>> {
    return this.#transport.call({ id: 'createUploadLink' }, sdk.createUploadLink, options)
  }

  /**
   * Get a document
   *
   * Returns the metadata of a document and the progress of its extraction.
   */
  getDocument(options: Call<types.GetDocumentData>): Promise<Answer<types.GetDocumentResponse>> {
    return this.#transport.call({ id: 'getDocument', safe: true }, sdk.getDocument, options)
  }

  /**
   * Delete a document
   *
   * Deletes the document, its parts and its invoices. The usage of the plan does not
   * change. The events of the document keep who did what and when; the event
   * `document.deleted` keeps the SHA-256, who deleted it, when and why. The bytes of
   * the original are removed after the operator's grace period, unless another
   * document has the same bytes.
   *
   * 400 `conflict` if an invoice of it is APPROVED or SYNCED, or is being synced.
   * Reopen or reject the invoice first. A SYNCED invoice can be reopened after its
   * bill was removed from the ledger and `syncInvoice` was called.
   *
   * 400 `conflict` with `details.reason` `legal_hold` if the entity is under legal hold.
   * Assistants get 403. The events of the invoices lose their values.
   */
  deleteDocument(options: Call<types.DeleteDocumentData>): Promise<Answer<types.DeleteDocumentResponse>> {
    return this.#transport.call({ id: 'deleteDocument' }, sdk.deleteDocument, options)
  }

  /**
   * Change a document
   *
   * A JSON merge patch: absent keys stay, `null` clears. The file itself never
   * changes. An invoice takes the `external_id` that its document has when it is
   * extracted; `updateInvoice` changes that of the invoice.
   */
  updateDocument(options: Call<types.UpdateDocumentData>): Promise<Answer<types.UpdateDocumentResponse>> {
    return this.#transport.call({ id: 'updateDocument' }, sdk.updateDocument, options)
  }

  /**
   * Download an embedded file
   *
   * Returns a file that is embedded in the XML or the PDF. Its bytes determine the
   * media type. It comes from a stranger and is never shown by a browser.
   */
  getDocumentAttachment(options: Call<types.GetDocumentAttachmentData>): Promise<Answer<types.GetDocumentAttachmentResponse>> {
    return this.#transport.call({ id: 'getDocumentAttachment', safe: true, answers: 'file' }, sdk.getDocumentAttachment, options)
  }

  /**
   * Download the original
   *
   * Returns the bytes as received, as an attachment. The media type is detected
   * from the bytes. Files that docledger cannot read have other media types.
   *
   * Of a part in another entity than its file, the content is a PDF of the part
   * only. If the part cannot be separated from the file, the answer is 400
   * `unreadable_document` with `details.reason` `part_of_other_entity`.
   */
  getDocumentContent(options: Call<types.GetDocumentContentData>): Promise<Answer<types.GetDocumentContentResponse>> {
    return this.#transport.call({ id: 'getDocumentContent', safe: true, answers: 'file' }, sdk.getDocumentContent, options)
  }

  /**
   * Move a document to another entity
   *
   * Moves the document with its invoice and history to another entity of the
   * organization, and so its parts that are in the same entity. The caller needs the
   * permission on both entities.
   *
   * Lines are coded and checks are evaluated again, with the suppliers and settings of
   * the new entity. Accounts, tax rates, contact and posting date of the former
   * entity's ledger are removed. An approval is withdrawn. A REJECTED invoice stays
   * rejected. The usage of the plan does not change.
   *
   * 400 `conflict` if an invoice is SYNCED or being synced, if the entity of the
   * document is under legal hold (`details.reason` `legal_hold`), if the new entity is
   * archived (`entity_archived`) or has a document with the same bytes (`same_bytes`).
   */
  moveDocument(options: Call<types.MoveDocumentData>): Promise<Answer<types.MoveDocumentResponse>> {
    return this.#transport.call({ id: 'moveDocument' }, sdk.moveDocument, options)
  }

  /**
   * Get the image of a page
   *
   * Returns a page of a PDF, a scan or a photo as PNG. The pages of an XML invoice
   * are those of its readable PDF. Page 1 of a part of a split file is the first page
   * of the part. An image is never enlarged.
   */
  getDocumentPage(options: Call<types.GetDocumentPageData>): Promise<Answer<types.GetDocumentPageResponse>> {
    return this.#transport.call({ id: 'getDocumentPage', safe: true, answers: 'file' }, sdk.getDocumentPage, options)
  }

  /**
   * Get the words of a page
   *
   * Returns at most 5,000 words of a page and where they are printed. The words of
   * a scan are those that were recognized when it was extracted.
   */
  getDocumentPageWords(options: Call<types.GetDocumentPageWordsData>): Promise<Answer<types.GetDocumentPageWordsResponse>> {
    return this.#transport.call({ id: 'getDocumentPageWords', safe: true }, sdk.getDocumentPageWords, options)
  }

  /**
   * Get the data of an electronic invoice for people
   *
   * Renders the data of an XML invoice, or of the data embedded in a PDF, as HTML or
   * PDF. It states what the document states, not the corrections of the invoice.
   * Other documents return 400 `unreadable_document`.
   */
  getDocumentReadable(options: Call<types.GetDocumentReadableData>): Promise<Answer<types.GetDocumentReadableResponse>> {
    return this.#transport.call({ id: 'getDocumentReadable', safe: true, answers: 'file' }, sdk.getDocumentReadable, options)
  }

  /**
   * Correct how a file is split
   *
   * Sets which pages of a PDF or scan are documents of their own. A part that exists
   * already stays. The invoices of other parts, and that of an undivided file, are
   * rejected; 400 `conflict` if one is approved or synced. The new parts are
   * extracted.
   */
  splitDocument(options: Call<types.SplitDocumentData>): Promise<Answer<types.SplitDocumentResponse>> {
    return this.#transport.call({ id: 'splitDocument' }, sdk.splitDocument, options)
  }

  /**
   * List entities
   *
   * The entities that the caller can access, newest first.
   */
  listEntities(options: Call<types.ListEntitiesData> = {}): Pages<types.ListEntitiesResponse> {
    return this.#transport.list({ id: 'listEntities', safe: true }, sdk.listEntities, options, 'cursor')
  }

  /**
   * Create an entity
   *
   * Creates an entity in the caller's organization. It counts towards the entity
   * limit of the plan.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  createEntity(options: Call<types.CreateEntityData>): Promise<Answer<types.CreateEntityResponse>> {
    return this.#transport.call({ id: 'createEntity', keyed: true }, sdk.createEntity, options)
  }

  /**
   * Get an entity
   *
   * Returns one entity that the caller can access.
   */
  getEntity(options: Call<types.GetEntityData>): Promise<Answer<types.GetEntityResponse>> {
    return this.#transport.call({ id: 'getEntity', safe: true }, sdk.getEntity, options)
  }

  /**
   * Update an entity
   *
   * Changes only the keys in the body; `null` resets a key. `archived: true` stops
   * uploads, watched locations and syncs, and the entity no longer counts towards
   * the limit of the plan. Its records stay readable and exportable. `false` reverses
   * it if the plan permits. `legal_hold: true` prevents that documents of the entity
   * are deleted, by a person or by age.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  updateEntity(options: Call<types.UpdateEntityData>): Promise<Answer<types.UpdateEntityResponse>> {
    return this.#transport.call({ id: 'updateEntity' }, sdk.updateEntity, options)
  }

  /**
   * Get the e-mail address of an entity
   *
   * Returns the address at which the entity receives documents, and the senders
   * that it accepts.
   */
  getEmailIntake(options: Call<types.GetEmailIntakeData>): Promise<Answer<types.GetEmailIntakeResponse>> {
    return this.#transport.call({ id: 'getEmailIntake', safe: true }, sdk.getEmailIntake, options)
  }

  /**
   * Change who may send documents by e-mail
   *
   * Changes only the keys in the body. The system never approves an invoice from an
   * e-mail unless its sender is one of `senders` and passed DMARC.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  updateEmailIntake(options: Call<types.UpdateEmailIntakeData>): Promise<Answer<types.UpdateEmailIntakeResponse>> {
    return this.#transport.call({ id: 'updateEmailIntake' }, sdk.updateEmailIntake, options)
  }

  /**
   * List events
   *
   * Events, oldest first. Send each `next_cursor` as `after` to receive every event
   * exactly once, including events that were committed late. The log has no end:
   * keep the last cursor and send it again later. A member reads the events of the
   * entities that they can access; an administrator reads all events.
   *
   * With `order=desc` the newest events come first and the list ends.
   */
  listEvents(options: Call<types.ListEventsData> = {}): Pages<types.ListEventsResponse> {
    return this.#transport.list({ id: 'listEvents', safe: true }, sdk.listEvents, options, 'after')
  }

  /**
   * List providers and integrations
   *
   * The providers that entities can be connected to, each with the integrations
   * that the caller may see. The list is complete; `next_cursor` is always null.
   */
  listIntegrations(options: Call<types.ListIntegrationsData> = {}): Pages<types.ListIntegrationsResponse> {
    return this.#transport.list({ id: 'listIntegrations', safe: true }, sdk.listIntegrations, options, undefined)
  }

  /**
   * Create a connect link
   *
   * Returns an address at which a person without an account of this service connects
   * the entity to a provider: the customer who owns the ledger or document store. Its
   * page names the organization, the entity, the provider and who asks, and continues
   * to the consent of the provider after a click. The link is valid for one consent,
   * for this entity and this provider; a declined or failed consent can be tried again
   * until the link expires. The rights of the caller are checked again when it is used.
   *
   * The consent alone does not set the integration up: `setUpIntegration` does.
   * Assistants get 403. An API key needs the role ADMIN.
   */
  createConnectLink(options: Call<types.CreateConnectLinkData>): Promise<Answer<types.CreateConnectLinkResponse>> {
    return this.#transport.call({ id: 'createConnectLink' }, sdk.createConnectLink, options)
  }

  /**
   * Reconnect an integration
   *
   * Requests the consent of the provider again, like
   * `POST /api/v1/integrations/oauth/authorize` for a new integration. The consent
   * must include the organization that the integration was set up with; otherwise
   * the integration gets the status `ERROR` with the reason `tenant_changed`. A
   * consent of the same account repairs every integration that uses it.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  connectIntegration(options: Call<types.ConnectIntegrationData>): Promise<Answer<types.ConnectIntegrationResponse>> {
    return this.#transport.call({ id: 'connectIntegration' }, sdk.connectIntegration, options)
  }

  /**
   * Get the status of an integration
   *
   * Returns the status and its reason, the granted OAuth scopes, the time of the
   * last activity, and the capabilities that are unavailable.
   */
  getIntegrationStatus(options: Call<types.GetIntegrationStatusData>): Promise<Answer<types.GetIntegrationStatusResponse>> {
    return this.#transport.call({ id: 'getIntegrationStatus', safe: true }, sdk.getIntegrationStatus, options)
  }

  /**
   * List invoices
   *
   * Summaries of the invoices of one entity, newest first unless `sort` is set.
   * Without `entity_id`, of all entities that the caller can access. Filters
   * combine; a repeated filter matches any of its values. A cursor is valid only
   * with the filters and the sort order that it was returned for.
   */
  listInvoices(options: Call<types.ListInvoicesData> = {}): Pages<types.ListInvoicesResponse> {
    return this.#transport.list({ id: 'listInvoices', safe: true }, sdk.listInvoices, options, 'cursor')
  }

  /**
   * Approve, reject or sync several invoices
   *
   * Applies one action to up to 200 invoices. Each invoice is processed separately:
   * the response has one item for each, in the order of the request, with the new
   * status or the error. `sync` only queues the bills; `sync_state` of the invoice
   * shows the result later.
   *
   * For `approve`, `acknowledge_checks` of an item names its failed BLOCKING checks.
   * `reject` requires `reason`. If the caller is an assistant that may not do it,
   * `confirm_url` is one page on which a person sees these items and confirms them.
   */
  changeInvoices(options: Call<types.ChangeInvoicesData>): Promise<Answer<types.ChangeInvoicesResponse>> {
    return this.#transport.call({ id: 'changeInvoices' }, sdk.changeInvoices, options)
  }

  /**
   * Export invoices
   *
   * All invoices that the filters of `listInvoices` select, oldest first, as a
   * stream. Amounts of credit notes are negative. `rows` selects one row for each
   * invoice, line or tax rate.
   * - `csv`: RFC 4180 in UTF-8, with a header. A text that a spreadsheet would
   *   execute as a formula begins with an apostrophe.
   * - `jsonl`: a JSON object in each line, with the columns of the CSV as keys.
   * - `zip`: the CSV, the originals in `originals`, and `manifest.json` with the
   *   SHA-256 of every file.
   *
   * If the connection ends early, the export is incomplete.
   */
  exportInvoices(options: Call<types.ExportInvoicesData> = {}): Promise<Answer<types.ExportInvoicesResponse>> {
    return this.#transport.call({ id: 'exportInvoices', safe: true, answers: 'file' }, sdk.exportInvoices, options)
  }

  /**
   * Create a link to an export
   *
   * Returns an address from which the export of `exportInvoices` with these parameters
   * can be read for 15 minutes without further sign-in, at most five times. Each read
   * has the rights that the caller has then.
   */
  createExportLink(options: Call<types.CreateExportLinkData> = {}): Promise<Answer<types.CreateExportLinkResponse>> {
    return this.#transport.call({ id: 'createExportLink' }, sdk.createExportLink, options)
  }

  /**
   * Extract the invoice of a document
   *
   * Returns the invoice of the document, extracting it first if necessary. Waits
   * up to 30 seconds. Errors:
   * - 503 `still_processing`: not ready yet; retry after Retry-After. See
   *   `details.progress`, and `details.held_reason` if no extraction can run.
   * - 400 `unreadable_document`: the document cannot be read; see `details.failure`.
   * - 400 `not_an_invoice`: see `details.failure`.
   * - 400 `conflict`: the document was split; see `details.children`.
   *
   * `force` extracts again, even if the document was classified as not an
   * invoice. Values that a person set are kept.
   */
  extractInvoice(options: Call<types.ExtractInvoiceData>): Promise<Answer<types.ExtractInvoiceResponse>> {
    return this.#transport.call({ id: 'extractInvoice', keyed: true }, sdk.extractInvoice, options)
  }

  /**
   * Add invoices up
   *
   * Sums of the invoices that match the filters, by up to three values and always by
   * currency. Credit notes are subtracted and rejected invoices are excluded. `tax`
   * sums the tax breakdown by category and rate, `account` sums the lines; amounts
   * that a breakdown or a line does not have are null. An amount with more than four
   * decimals is counted and is not part of the sums.
   */
  sumInvoices(options: Call<types.SumInvoicesData>): Promise<Answer<types.SumInvoicesResponse>> {
    return this.#transport.call({ id: 'sumInvoices', safe: true }, sdk.sumInvoices, options)
  }

  /**
   * Get an invoice
   *
   * Returns the invoice with its first 200 lines. `lines_total` counts all lines.
   */
  getInvoice(options: Call<types.GetInvoiceData>): Promise<Answer<types.GetInvoiceResponse>> {
    return this.#transport.call({ id: 'getInvoice', safe: true }, sdk.getInvoice, options)
  }

  /**
   * Correct an invoice
   *
   * A JSON merge patch: absent keys stay, `null` clears. `lines` are matched by
   * id; `{id, deleted: true}` removes a line, and a line without id is added.
   * Other arrays are replaced as a whole.
   * - EXTRACTED, NEEDS_REVIEW: the checks run again.
   * - APPROVED, SYNC_FAILED: account_id, tax_rate_id, contact_id, posting_date, note
   *   and external_id keep the approval; any other key withdraws it.
   * - Other statuses: only `note` and `external_id` can change; else 400
   *   `conflict`.
   */
  updateInvoice(options: Call<types.UpdateInvoiceData>): Promise<Answer<types.UpdateInvoiceResponse>> {
    return this.#transport.call({ id: 'updateInvoice' }, sdk.updateInvoice, options)
  }

  /**
   * Approve an invoice
   *
   * Moves EXTRACTED or NEEDS_REVIEW to APPROVED. `version` is the version that the
   * approver saw; another version is 400 `version_conflict`. An approved invoice
   * stays unchanged (200).
   *
   * `acknowledge_checks` must name the rule of every failed BLOCKING check and no
   * other rule; else 400 `checks_failed` with `details.checks`. A person must
   * compare each of them with the original.
   */
  approveInvoice(options: Call<types.ApproveInvoiceData>): Promise<Answer<types.ApproveInvoiceResponse>> {
    return this.#transport.call({ id: 'approveInvoice' }, sdk.approveInvoice, options)
  }

  /**
   * Assign an invoice to a member
   *
   * `user_id` is a member who can read the entity; null ends the assignment. It is
   * possible in every status and changes neither checks nor approval.
   */
  assignInvoice(options: Call<types.AssignInvoiceData>): Promise<Answer<types.AssignInvoiceResponse>> {
    return this.#transport.call({ id: 'assignInvoice' }, sdk.assignInvoice, options)
  }

  /**
   * Dismiss a suspected duplicate
   *
   * Records that this invoice and another one of its `duplicates` are different
   * invoices. It applies to both, and their checks are evaluated again. You need the
   * role APPROVER in the entities of both. If the pair is already dismissed, it
   * stays unchanged (200).
   */
  dismissDuplicate(options: Call<types.DismissDuplicateData>): Promise<Answer<types.DismissDuplicateResponse>> {
    return this.#transport.call({ id: 'dismissDuplicate' }, sdk.dismissDuplicate, options)
  }

  /**
   * Get the history of an invoice
   *
   * Returns the events of the invoice and of its document, oldest first. With
   * `order=desc`, newest first.
   */
  getInvoiceHistory(options: Call<types.GetInvoiceHistoryData>): Pages<types.GetInvoiceHistoryResponse> {
    return this.#transport.list({ id: 'getInvoiceHistory', safe: true }, sdk.getInvoiceHistory, options, 'cursor')
  }

  /**
   * List the lines of an invoice
   *
   * Returns all lines of the invoice in document order.
   */
  listInvoiceLines(options: Call<types.ListInvoiceLinesData>): Pages<types.ListInvoiceLinesResponse> {
    return this.#transport.list({ id: 'listInvoiceLines', safe: true }, sdk.listInvoiceLines, options, 'cursor')
  }

  /**
   * Add a note to an invoice
   *
   * Adds a note for colleagues to the history of the invoice, in every status. It is
   * the event `invoice.note_added`, which is never changed.
   */
  addInvoiceNote(options: Call<types.AddInvoiceNoteData>): Promise<Answer<types.AddInvoiceNoteResponse>> {
    return this.#transport.call({ id: 'addInvoiceNote', keyed: true }, sdk.addInvoiceNote, options)
  }

  /**
   * Reject an invoice
   *
   * Moves any status except SYNCED to REJECTED. A rejected invoice can still be
   * found but counts in no total. One that is rejected stays unchanged (200).
   */
  rejectInvoice(options: Call<types.RejectInvoiceData>): Promise<Answer<types.RejectInvoiceResponse>> {
    return this.#transport.call({ id: 'rejectInvoice' }, sdk.rejectInvoice, options)
  }

  /**
   * Reopen an invoice
   *
   * Moves REJECTED, APPROVED or SYNC_FAILED to NEEDS_REVIEW. An invoice that needs
   * review already stays unchanged (200).
   */
  reopenInvoice(options: Call<types.ReopenInvoiceData>): Promise<Answer<types.ReopenInvoiceResponse>> {
    return this.#transport.call({ id: 'reopenInvoice' }, sdk.reopenInvoice, options)
  }

  /**
   * Sync an invoice to the ledger
   *
   * Creates exactly one bill (for a CREDIT_NOTE, a credit note) in the entity's
   * ledger for an APPROVED or SYNC_FAILED invoice, attaches the original and waits
   * up to 30 s. Returns the invoice; its `sync.state` is one of:
   * - DONE
   * - FAILED: a person must follow `sync.error.action`.
   * - QUEUED, RUNNING, CHECKING: continues automatically at
   *   `sync.next_attempt_at`.
   *
   * The system approves an EXTRACTED invoice first if the settings allow it and
   * every check passed, except WARNINGs in `auto_approve_ignore`; else 400
   * `conflict` with `details.checks`.
   *
   * Before it creates a bill, docledger searches the ledger. It adopts a bill of
   * this invoice. A bill of the same contact with the same number and total fails
   * the sync with `already_in_ledger`: `link` adopts that bill, `force` creates
   * another one. Both are 400 `conflict` during a running sync.
   *
   * For a SYNCED invoice, docledger reads the bill from the ledger. If it was
   * deleted or voided there, the invoice is APPROVED again with the error
   * `removed_in_ledger`; the next call creates the bill again.
   */
  syncInvoice(options: Call<types.SyncInvoiceData>): Promise<Answer<types.SyncInvoiceResponse>> {
    return this.#transport.call({ id: 'syncInvoice' }, sdk.syncInvoice, options)
  }

  /**
   * Validate an electronic invoice
   *
   * Evaluates the official rules of the profiles that the original declares:
   * EN 16931 and the specifications XRechnung and Peppol BIS Billing 3, which
   * extend it. Each request evaluates the rules on the stored original. The
   * invoice and its status do not change; see the setting `einvoice_rules` for the
   * check of the same name.
   */
  getInvoiceValidation(options: Call<types.GetInvoiceValidationData>): Promise<Answer<types.GetInvoiceValidationResponse>> {
    return this.#transport.call({ id: 'getInvoiceValidation', safe: true }, sdk.getInvoiceValidation, options)
  }

  /**
   * Get the caller
   *
   * The user, the organization of the credential, the user's other organizations
   * and the rights of the credential.
   */
  getMe(options: Call<types.GetMeData> = {}): Promise<Answer<types.GetMeResponse>> {
    return this.#transport.call({ id: 'getMe', safe: true }, sdk.getMe, options)
  }

  /**
   * List the members of the organization
   *
   * The members who can be given a role on an entity, sorted by name.
   */
  listMembers(options: Call<types.ListMembersData> = {}): Pages<types.ListMembersResponse> {
    return this.#transport.list({ id: 'listMembers', safe: true }, sdk.listMembers, options, 'cursor')
  }

  /**
   * Get the report on processing
   *
   * What became of the documents of the organization that arrived in the last `days`:
   * the invoices that no person changed (touchless), the time from arrival to bill,
   * the failures by reason, and the calls to providers that they limit.
   */
  getProcessingReport(options: Call<types.GetProcessingReportData> = {}): Promise<Answer<types.GetProcessingReportResponse>> {
    return this.#transport.call({ id: 'getProcessingReport', safe: true }, sdk.getProcessingReport, options)
  }

  /**
   * Get the settings of an entity
   *
   * Returns how docledger processes the documents of the entity.
   */
  getSettings(options: Call<types.GetSettingsData>): Promise<Answer<types.GetSettingsResponse>> {
    return this.#transport.call({ id: 'getSettings', safe: true }, sdk.getSettings, options)
  }

  /**
   * Update the settings of an entity
   *
   * Changes only the keys in the body; `null` resets a key to its default.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  updateSettings(options: Call<types.UpdateSettingsData>): Promise<Answer<types.UpdateSettingsResponse>> {
    return this.#transport.call({ id: 'updateSettings' }, sdk.updateSettings, options)
  }

  /**
   * Tell whether the installation has no user yet
   *
   * An installation with local accounts has no user after its first start.
   * `setUp` then creates the first administrator.
   */
  getSetup(options: Call<types.GetSetupData> = {}): Promise<Answer<types.GetSetupResponse>> {
    return this.#transport.call({ id: 'getSetup', open: true, safe: true }, sdk.getSetup, options)
  }

  /**
   * Create the first administrator
   *
   * Creates the first organization and its administrator, and returns a token. The
   * setup code is in the log of the service. In the environment `local`, a caller on
   * the machine of the service needs none. The code ends with the first user: the
   * error is then the same as for a wrong code.
   */
  setUp(options: Call<types.SetUpData>): Promise<Answer<types.SetUpResponse>> {
    return this.#transport.call({ id: 'setUp', open: true }, sdk.setUp, options)
  }

  /**
   * List suppliers
   *
   * The suppliers of one entity, newest first. Without `entity_id`, the suppliers of
   * all entities that the caller can access. A supplier is created with its first
   * approved invoice.
   */
  listSuppliers(options: Call<types.ListSuppliersData> = {}): Pages<types.ListSuppliersResponse> {
    return this.#transport.list({ id: 'listSuppliers', safe: true }, sdk.listSuppliers, options, 'cursor')
  }

  /**
   * Get a supplier
   *
   * Returns a supplier with its bank accounts. The id of a merged supplier returns
   * the supplier that it was merged into.
   */
  getSupplier(options: Call<types.GetSupplierData>): Promise<Answer<types.GetSupplierResponse>> {
    return this.#transport.call({ id: 'getSupplier', safe: true }, sdk.getSupplier, options)
  }

  /**
   * Update a supplier
   *
   * Changes only the keys in the body; `null` resets a key. A default that a person
   * sets takes precedence over what docledger learned from approved invoices. The
   * former name becomes an alias. This does not change bank accounts.
   */
  updateSupplier(options: Call<types.UpdateSupplierData>): Promise<Answer<types.UpdateSupplierResponse>> {
    return this.#transport.call({ id: 'updateSupplier' }, sdk.updateSupplier, options)
  }

  /**
   * Confirm a bank account of a supplier
   *
   * Records that a person checked one new bank account with the supplier, and how.
   * Approving an invoice never does this. Open invoices that name the account are
   * checked again. Repeating the request changes nothing.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  confirmBankAccount(options: Call<types.ConfirmBankAccountData>): Promise<Answer<types.ConfirmBankAccountResponse>> {
    return this.#transport.call({ id: 'confirmBankAccount' }, sdk.confirmBankAccount, options)
  }

  /**
   * Merge a supplier into another one
   *
   * Moves names, tax ids, bank accounts and invoices to another supplier of the same
   * entity and returns that supplier. The old id continues to work. A bank account
   * that was known only because it came with the first invoice of the merged supplier
   * must be confirmed. Repeating the request changes nothing.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  mergeSupplier(options: Call<types.MergeSupplierData>): Promise<Answer<types.MergeSupplierResponse>> {
    return this.#transport.call({ id: 'mergeSupplier' }, sdk.mergeSupplier, options)
  }

  /**
   * Request the consent of a provider
   *
   * Returns the URL of the consent page of the provider. A user must open it in a
   * browser within 10 minutes. The provider then sends the browser back, and
   * docledger redirects it to `redirect_url` with the query parameters
   * `integration_id`, `status` and, if the consent failed, `error`
   * (`access_denied`; `admin_consent_required`: an administrator at the provider must
   * consent; `provider_setup_incomplete`: the operator must correct the application
   * at the provider; `consent_failed`; `provider_unavailable`) with the provider's
   * own `provider_code`, `provider_message` and `provider_request_id` if it states
   * them.
   *
   * Send the three values in the body or in the query.
   *
   * An entity has one integration for each accounting provider. A second request
   * for the same provider requests the consent of the same integration.
   */
  authorizeIntegration(options: Call<types.AuthorizeIntegrationData> = {}): Promise<Answer<types.AuthorizeIntegrationResponse>> {
    return this.#transport.call({ id: 'authorizeIntegration' }, sdk.authorizeIntegration, options)
  }

  /**
   * Complete a consent
   *
   * The provider redirects the browser to this address after the consent page.
   * Clients do not call it. The `state` is valid once, for 10 minutes, for the
   * integration and the user that requested it. A provider may add its own
   * parameters.
   *
   * A browser without the cookie of the request that began the consent gets a
   * page instead. It names the organization, the entity and the person, and
   * continues with `confirmAuthorization`.
   */
  finishAuthorization(options: Call<types.FinishAuthorizationData> = {}): Promise<Answer<undefined>> {
    return this.#transport.call({ id: 'finishAuthorization', open: true, safe: true, answers: 'redirect' }, sdk.finishAuthorization, options)
  }

  /**
   * Confirm a consent
   *
   * Completes a consent in a browser that did not begin it. The page of
   * `finishAuthorization` sends this request; clients do not call it. The
   * `confirmation` of the latest page is valid once, with its `state`. Without
   * it the response is the page again.
   */
  confirmAuthorization(options: Call<types.ConfirmAuthorizationData> = {}): Promise<Answer<undefined>> {
    return this.#transport.call({ id: 'confirmAuthorization', open: true, answers: 'redirect' }, sdk.confirmAuthorization, options)
  }

  /**
   * Get an integration
   *
   * Returns the integration with its setup. Its details at the provider are in `/status`.
   */
  getIntegration(options: Call<types.GetIntegrationData>): Promise<Answer<types.GetIntegrationResponse>> {
    return this.#transport.call({ id: 'getIntegration', safe: true }, sdk.getIntegration, options)
  }

  /**
   * Set up an integration
   *
   * Chooses the organization that receives bills, or the location of a document
   * store to watch. docledger verifies the choice with the provider. The
   * integration becomes `ACTIVE`. While the provider is unavailable it stays
   * `PENDING`, and docledger verifies it later. `status` in the body is `PENDING`, or
   * the status as it was read.
   *
   * A later call changes only the keys in the body. An organization serves one
   * entity. After the first sync, another organization is refused with `conflict`.
   *
   * Assistants get 403; a user can do it at `details.confirm_url`.
   */
  setUpIntegration(options: Call<types.SetUpIntegrationData>): Promise<Answer<types.SetUpIntegrationResponse>> {
    return this.#transport.call({ id: 'setUpIntegration' }, sdk.setUpIntegration, options)
  }

  /**
   * Disconnect an integration
   *
   * Disconnects this integration only. docledger deletes the tokens of the grant
   * with the last integration that uses it. Documents, invoices and events stay.
   * `status_reason` reports whether a user must remove something at the provider.
   * Repeating the request changes nothing.
   */
  disconnectIntegration(options: Call<types.DisconnectIntegrationData>): Promise<Answer<types.DisconnectIntegrationResponse>> {
    return this.#transport.call({ id: 'disconnectIntegration' }, sdk.disconnectIntegration, options)
  }

  /**
   * List the accounts of a ledger
   *
   * The chart of accounts with the class of each account, at most 30 seconds old.
   * The list is complete unless `limit` is given.
   *
   * At ACCOUNTING_A, `class` is the AccountClass. An unknown type is an Expense,
   * and there are no credit card accounts. At ACCOUNTING_B, `class` is the type of
   * the provider. No value of `account_types` selects AccountsReceivable,
   * AccountsPayable and NonPosting. Lines cannot use a NonPosting account.
   */
  listAccountingAccounts(options: Call<types.ListAccountingAccountsData>): Pages<types.ListAccountingAccountsResponse> {
    return this.#transport.list({ id: 'listAccountingAccounts', safe: true }, sdk.listAccountingAccounts, options, 'cursor')
  }

  /**
   * List the contacts of a ledger
   *
   * The contacts and vendors, including archived ones, at most 30 seconds old. The
   * list is complete unless `limit` is given.
   */
  listAccountingContacts(options: Call<types.ListAccountingContactsData>): Pages<types.ListAccountingContactsResponse> {
    return this.#transport.list({ id: 'listAccountingContacts', safe: true }, sdk.listAccountingContacts, options, 'cursor')
  }

  /**
   * List the currencies of a ledger
   *
   * The currencies that the ledger accepts, at most 30 seconds old. The list is
   * complete unless `limit` is given.
   */
  listAccountingCurrencies(options: Call<types.ListAccountingCurrenciesData>): Pages<types.ListAccountingCurrenciesResponse> {
    return this.#transport.list({ id: 'listAccountingCurrencies', safe: true }, sdk.listAccountingCurrencies, options, 'cursor')
  }

  /**
   * List the organizations of a consent
   *
   * The organizations of the provider that the integration can be set up with.
   * The list is complete unless `limit` is given.
   */
  listAccountingOrganizations(options: Call<types.ListAccountingOrganizationsData>): Pages<types.ListAccountingOrganizationsResponse> {
    return this.#transport.list({ id: 'listAccountingOrganizations', safe: true }, sdk.listAccountingOrganizations, options, 'cursor')
  }

  /**
   * List the tax rates of a ledger
   *
   * The tax rates that a line of a bill can use, at most 30 seconds old. The list
   * is complete unless `limit` is given.
   */
  listAccountingTaxRates(options: Call<types.ListAccountingTaxRatesData>): Pages<types.ListAccountingTaxRatesResponse> {
    return this.#transport.list({ id: 'listAccountingTaxRates', safe: true }, sdk.listAccountingTaxRates, options, 'cursor')
  }

  /**
   * Connect further entities with an existing consent
   *
   * Gives each entity an integration of the same provider that uses the consent of
   * this integration. No new consent is necessary. With `organization_id` the
   * integration is set up and verified as by setUpIntegration, so one call maps the
   * organizations of a consent to entities and activates them. Without it the
   * integration waits for its setup. Each item has its own result. An entity that
   * works through another consent is a `conflict`. Repeating the call changes
   * nothing.
   */
  connectEntities(options: Call<types.ConnectEntitiesData>): Promise<Answer<types.ConnectEntitiesResponse>> {
    return this.#transport.call({ id: 'connectEntities' }, sdk.connectEntities, options)
  }

  /**
   * List the files that a document store integration skips
   *
   * The existing files of the watched location that do not become documents,
   * with the reasons, newest first. A new version or, for `temporary`, a new name
   * of a file is considered again. Files that wait for another attempt are not
   * listed. An accounting integration has none.
   */
  listSkippedFiles(options: Call<types.ListSkippedFilesData>): Pages<types.ListSkippedFilesResponse> {
    return this.#transport.list({ id: 'listSkippedFiles', safe: true }, sdk.listSkippedFiles, options, 'cursor')
  }

  /**
   * List the sources of a document store
   *
   * The sites (DOCSTORE_A) or folders (DOCSTORE_B) of the consent. The list is
   * complete unless `limit` is given. If the account has no permission, the error
   * is `provider_unauthorized`.
   */
  listTriggerSources(options: Call<types.ListTriggerSourcesData>): Pages<types.ListTriggerSourcesResponse> {
    return this.#transport.list({ id: 'listTriggerSources', safe: true }, sdk.listTriggerSources, options, 'cursor')
  }

  /**
   * List the sub-sources of a source
   *
   * The document libraries of a site (DOCSTORE_A) or the sub-folders of a folder
   * (DOCSTORE_B). The list is complete unless `limit` is given. Errors:
   * - `not_found`: the source does not exist.
   * - `provider_unauthorized`: the account has no permission.
   */
  listTriggerSubSources(options: Call<types.ListTriggerSubSourcesData>): Pages<types.ListTriggerSubSourcesResponse> {
    return this.#transport.list({ id: 'listTriggerSubSources', safe: true }, sdk.listTriggerSubSources, options, 'cursor')
  }

  /**
   * List the folders directly inside a folder of a sub-source
   *
   * The folders at one level, by name, so that a person can choose the
   * `directories` of `setUpIntegration` from a tree. Folders with equal names
   * are one entry, because a directory includes all of them. The list is
   * complete unless `limit` is given. Errors:
   * - `not_found`: the source, the sub-source or the folder does not exist.
   * - `provider_unauthorized`: the account has no permission.
   */
  listTriggerFolders(options: Call<types.ListTriggerFoldersData>): Pages<types.ListTriggerFoldersResponse> {
    return this.#transport.list({ id: 'listTriggerFolders', safe: true }, sdk.listTriggerFolders, options, 'cursor')
  }

  /**
   * List webhooks
   *
   * All webhooks of the organization, newest first. No response of this operation
   * contains a secret.
   */
  listWebhooks(options: Call<types.ListWebhooksData> = {}): Pages<types.ListWebhooksResponse> {
    return this.#transport.list({ id: 'listWebhooks', safe: true }, sdk.listWebhooks, options, 'cursor')
  }

  /**
   * Create a webhook
   *
   * Sends events to a URL by POST. The body is a DeliveredEvent: ids and the type, no
   * content of invoices. Headers and signature follow
   * [Standard Webhooks](https://www.standardwebhooks.com); the response contains the
   * secret that signs. No later response contains it.
   *
   * A delivery is repeated until the receiver responds with 2xx: after 5 seconds,
   * 5 minutes, 30 minutes, and 2, 5, 10 and 10 hours. An attempt ends after 10
   * seconds. Deliveries can arrive twice and in any order; `webhook-id` is the id of
   * the event. After five days of failures without a success the webhook is
   * disabled, and the event `webhook.disabled` is recorded.
   *
   * The URL must be https and lead to the public internet. Redirects are not
   * followed. An organization can have 10 webhooks.
   */
  createWebhook(options: Call<types.CreateWebhookData>): Promise<Answer<types.CreateWebhookResponse>> {
    return this.#transport.call({ id: 'createWebhook' }, sdk.createWebhook, options)
  }

  /**
   * Get a webhook
   *
   * The webhook without its secret.
   */
  getWebhook(options: Call<types.GetWebhookData>): Promise<Answer<types.GetWebhookResponse>> {
    return this.#transport.call({ id: 'getWebhook', safe: true }, sdk.getWebhook, options)
  }

  /**
   * Delete a webhook
   *
   * Deletes the webhook with its deliveries. Pending deliveries are not made.
   */
  deleteWebhook(options: Call<types.DeleteWebhookData>): Promise<Answer<types.DeleteWebhookResponse>> {
    return this.#transport.call({ id: 'deleteWebhook' }, sdk.deleteWebhook, options)
  }

  /**
   * Change a webhook
   *
   * Changes the keys in the body. A webhook that is enabled again receives the events
   * from then on and its pending deliveries. Read earlier events with `listEvents`.
   */
  updateWebhook(options: Call<types.UpdateWebhookData>): Promise<Answer<types.UpdateWebhookResponse>> {
    return this.#transport.call({ id: 'updateWebhook' }, sdk.updateWebhook, options)
  }

  /**
   * List deliveries of a webhook
   *
   * The deliveries of the webhook, newest first. A delivery that is not pending is
   * kept for 30 days.
   */
  listWebhookDeliveries(options: Call<types.ListWebhookDeliveriesData>): Pages<types.ListWebhookDeliveriesResponse> {
    return this.#transport.list({ id: 'listWebhookDeliveries', safe: true }, sdk.listWebhookDeliveries, options, 'cursor')
  }

  /**
   * Repeat a delivery
   *
   * Makes the delivery due at once, in every state, and starts its attempts again. The
   * receiver gets the same event with the same `webhook-id`.
   */
  retryWebhookDelivery(options: Call<types.RetryWebhookDeliveryData>): Promise<Answer<types.RetryWebhookDeliveryResponse>> {
    return this.#transport.call({ id: 'retryWebhookDelivery' }, sdk.retryWebhookDelivery, options)
  }

  /**
   * Replace the secret of a webhook
   *
   * Returns a new secret. The former one also signs each request for 24 hours, so that
   * the receiver can change them in any order. Another rotation within this time does
   * not end it earlier; at most 20 former secrets sign.
   */
  rotateWebhookSecret(options: Call<types.RotateWebhookSecretData>): Promise<Answer<types.RotateWebhookSecretResponse>> {
    return this.#transport.call({ id: 'rotateWebhookSecret' }, sdk.rotateWebhookSecret, options)
  }

  /**
   * Send a sample to a webhook
   *
   * Adds a delivery of an event of the type `webhook.test`, which is not in the event
   * log, whatever `types` are. `listWebhookDeliveries` shows its result.
   */
  testWebhook(options: Call<types.TestWebhookData>): Promise<Answer<types.TestWebhookResponse>> {
    return this.#transport.call({ id: 'testWebhook' }, sdk.testWebhook, options)
  }

  /**
   * Find the page for an action
   *
   * Returns the address of the page of the web application on which a person can do
   * what an assistant cannot do: connect, set up, change settings, entities and
   * members, pay.
   */
  whereTo(options: Call<types.WhereToData>): Promise<Answer<types.WhereToResponse>> {
    return this.#transport.call({ id: 'whereTo', safe: true }, sdk.whereTo, options)
  }

  /**
   * Receive an e-mail from a provider of inbound e-mail
   *
   * For providers that forward e-mail as raw MIME. The secret of the installation
   * authenticates the provider: in `X-Webhook-Secret`, as the password of HTTP Basic
   * in the URL, or as a bearer token.
   * Responses:
   * - 200: the e-mail is stored, also if it was stored before.
   * - 404 `not_found`: the installation receives no e-mail this way, the recipient
   *   is not known, or it does not accept the sender.
   * - 500: the e-mail could not be stored; the provider must send it again.
   */
  receiveEmail(options: Call<types.ReceiveEmailData>): Promise<Answer<types.ReceiveEmailResponse>> {
    return this.#transport.call({ id: 'receiveEmail', open: true }, sdk.receiveEmail, options)
  }

  /**
   * Receive an event of the identity provider
   *
   * docledger processes organization.created and organization.updated to update the
   * payment customer and the trial. Responses:
   * - 200: the event is stored, or its type is ignored.
   * - 500: the event could not be stored; the sender must send it again.
   * - 404 `not_found`: this installation has no identity provider.
   */
  receiveIdentityEvent(options: Call<types.ReceiveIdentityEventData>): Promise<Answer<types.ReceiveIdentityEventResponse>> {
    return this.#transport.call({ id: 'receiveIdentityEvent', open: true }, sdk.receiveIdentityEvent, options)
  }

  /**
   * Receive an event of the payment processor
   *
   * docledger processes the subscription events created, updated, deleted and
   * resumed. Responses:
   * - 200: the event is stored, or its type is ignored.
   * - 500: the event could not be stored; the sender must send it again.
   * - 404 `not_found`: this installation has no payment processor.
   */
  receivePaymentEvent(options: Call<types.ReceivePaymentEventData>): Promise<Answer<types.ReceivePaymentEventResponse>> {
    return this.#transport.call({ id: 'receivePaymentEvent', open: true }, sdk.receivePaymentEvent, options)
  }

  /**
   * Receive a change notification of a document store
   *
   * A notification triggers an early poll of the watched location. docledger reads
   * the changes from the document store, so duplicates have no effect. The secret
   * of the subscription authenticates it: in the body for DOCSTORE_A, in the header
   * for DOCSTORE_B. DOCSTORE_A verifies the address with the query parameter
   * `validationToken`; the response then contains that text.
   */
  receiveStorageNotification(options: Call<types.ReceiveStorageNotificationData>): Promise<Answer<types.ReceiveStorageNotificationResponse>> {
    return this.#transport.call({ id: 'receiveStorageNotification', open: true, answers: 'text' }, sdk.receiveStorageNotification, options)
  }
}
