// Generated from openapi/docledger.json by client/typescript/emit.mjs. DO NOT EDIT.

import * as sdk from './generated/sdk.gen.js'
import type * as types from './generated/types.gen.js'
import type { Answer, Call, DocledgerOptions, UploadCall } from './options.js'
import type { Pages } from './pages.js'
import { Transport } from './transport.js'

/** The API of docledger: a method for each operation, by its operationId. */
export class Docledger {
  readonly #transport: Transport

  constructor(options: DocledgerOptions) {
    this.#transport = new Transport(options)
  }

  /**
   * Sign in
   *
   * Answers a token for one organization. Without `organization_id` it is the
   * organization used last, else the oldest membership. An unknown e-mail
   * address and a wrong password get the same answer.
   */
  login(options: Call<types.LoginData>): Promise<Answer<types.LoginResponse>> {
    return this.#transport.call({ id: 'login', open: true }, sdk.login, options)
  }

  /**
   * Sign out
   *
   * Ends the session of the token that is sent as bearer. All tokens of the
   * session become invalid at once. A token of the identity provider is ended
   * at the identity provider.
   */
  logout(options: Call<types.LogoutData> = {}): Promise<Answer<types.LogoutResponse>> {
    return this.#transport.call({ id: 'logout' }, sdk.logout, options)
  }

  /**
   * Change the caller's password
   *
   * Changes the password of a local account. Every session of the account ends,
   * this one included; the response is a token of a new session. Where the
   * identity provider keeps the password the answer is `conflict`. Wrong current
   * passwords count as failed sign-ins.
   */
  changePassword(options: Call<types.ChangePasswordData>): Promise<Answer<types.ChangePasswordResponse>> {
    return this.#transport.call({ id: 'changePassword' }, sdk.changePassword, options)
  }

  /**
   * Renew the token
   *
   * Answers a new token for the session of the token that is sent as bearer,
   * which must not have expired. With `organization_id` the new token is for
   * that organization. The earlier token stays valid for 60 seconds. Refreshing
   * it after that ends the session; any other call with it is `unauthorized`.
   * A session ends after 14 days or when the password changes.
   */
  refreshToken(options: Call<types.RefreshTokenData> = {}): Promise<Answer<types.RefreshTokenResponse>> {
    return this.#transport.call({ id: 'refreshToken' }, sdk.refreshToken, options)
  }

  /**
   * List the caller's sessions
   *
   * The sessions in which the caller is signed in, newest first, in all of the caller's organizations.
   */
  listSessions(options: Call<types.ListSessionsData> = {}): Pages<types.ListSessionsResponse> {
    return this.#transport.list({ id: 'listSessions', safe: true }, sdk.listSessions, options, 'cursor')
  }

  /**
   * End a session
   *
   * Ends one of the caller's sessions, for example that of a lost device. All
   * tokens of the session become invalid at once.
   */
  endSession(options: Call<types.EndSessionData>): Promise<Answer<types.EndSessionResponse>> {
    return this.#transport.call({ id: 'endSession' }, sdk.endSession, options)
  }

  /**
   * Read plan and usage
   *
   * The plan of the caller's organization, what is used of it, the trial while
   * there is no subscription, and what somebody should look after. Without a
   * payment processor the plan is `self_hosted`, active and unlimited.
   *
   * While the payment processor is out of reach and the plan is not known
   * afresh, the answer is `provider_unavailable`.
   */
  getBilling(options: Call<types.GetBillingData> = {}): Promise<Answer<types.GetBillingResponse>> {
    return this.#transport.call({ id: 'getBilling', safe: true }, sdk.getBilling, options)
  }

  /**
   * Open the page that sells a plan
   *
   * Answers the address of a page of the payment processor on which the
   * organization subscribes to a plan. The subscription's periods begin on the
   * 1st of a month at 00:00 UTC. A monthly price is charged for the running
   * month at once; a price of another interval is charged in proportion for the
   * days before the first period. Both addresses to return to must be of an
   * origin that the operator allows. Without a payment processor the answer is
   * `not_found`.
   *
   * Assistants get 403; users do it at `details.confirm_url`.
   */
  createCheckoutSession(options: Call<types.CreateCheckoutSessionData>): Promise<Answer<types.CreateCheckoutSessionResponse>> {
    return this.#transport.call({ id: 'createCheckoutSession', keyed: true }, sdk.createCheckoutSession, options)
  }

  /**
   * List the plans for sale
   *
   * All prices at which a plan can be bought. The list is complete, so
   * `next_cursor` is always null. Without a payment processor there is nothing
   * for sale and the answer is `not_found`.
   */
  listPlans(options: Call<types.ListPlansData> = {}): Pages<types.ListPlansResponse> {
    return this.#transport.list({ id: 'listPlans', safe: true }, sdk.listPlans, options, undefined)
  }

  /**
   * Open the page that looks after a plan
   *
   * Answers the address of a page of the payment processor on which the
   * organization changes or ends its subscription, its payment methods and
   * addresses, and reads its bills. The address to return to must be of an
   * origin that the operator allows. Without a payment processor the answer is
   * `not_found`.
   *
   * Assistants get 403; users do it at `details.confirm_url`.
   */
  createPortalSession(options: Call<types.CreatePortalSessionData>): Promise<Answer<types.CreatePortalSessionResponse>> {
    return this.#transport.call({ id: 'createPortalSession' }, sdk.createPortalSession, options)
  }

  /**
   * Read usage by entity
   *
   * How many documents of each entity were read as invoices for the first time
   * in a month of UTC. The items add up exactly to the total, which is what
   * counts towards the plan's limit. Entities that the caller may not see are
   * one item together, whose `entity_id` is null. Whatever is moved, archived
   * or deleted later, the numbers of a month do not fall.
   */
  getBillingUsage(options: Call<types.GetBillingUsageData> = {}): Promise<Answer<types.GetBillingUsageResponse>> {
    return this.#transport.call({ id: 'getBillingUsage', safe: true, answers: 'text' }, sdk.getBillingUsage, options)
  }

  /**
   * List documents
   *
   * The documents of one entity or, without `entity_id`, of all entities the caller can access, newest first.
   */
  listDocuments(options: Call<types.ListDocumentsData> = {}): Pages<types.ListDocumentsResponse> {
    return this.#transport.list({ id: 'listDocuments', safe: true }, sdk.listDocuments, options, 'cursor')
  }

  /**
   * Upload a document
   *
   * Takes the file as `multipart/form-data` (streamed, parts in any order) or
   * as JSON with base64 content. A JSON body may have 1 MiB, a file sent as
   * multipart 256 MiB unless the installation sets another bound. The same
   * bytes again for the same entity answer the document that is there, with
   * `duplicate: true`. Where `auto_extract` is on, extraction starts by itself.
   */
  uploadDocument(options: UploadCall<types.UploadDocumentData>): Promise<Answer<types.UploadDocumentResponse>> {
    return this.#transport.call({ id: 'uploadDocument', keyed: true, form: true }, sdk.uploadDocument, options)
  }

  /**
   * Read a document's record
   *
   * What is known about the file and how far its reading has got.
   */
  getDocument(options: Call<types.GetDocumentData>): Promise<Answer<types.GetDocumentResponse>> {
    return this.#transport.call({ id: 'getDocument', safe: true }, sdk.getDocument, options)
  }

  /**
   * Download the original
   *
   * The bytes as they were uploaded, with their media type, as an attachment.
   */
  getDocumentContent(options: Call<types.GetDocumentContentData>): Promise<Answer<types.GetDocumentContentResponse>> {
    return this.#transport.call({ id: 'getDocumentContent', safe: true, answers: 'file' }, sdk.getDocumentContent, options)
  }

  /**
   * List entities
   *
   * The entities the caller can access, newest first.
   */
  listEntities(options: Call<types.ListEntitiesData> = {}): Pages<types.ListEntitiesResponse> {
    return this.#transport.list({ id: 'listEntities', safe: true }, sdk.listEntities, options, 'cursor')
  }

  /**
   * Create an entity
   *
   * Creates an entity in the caller's organization. It counts towards the
   * plan's number of entities.
   *
   * Assistants get 403; users do it at `details.confirm_url`.
   */
  createEntity(options: Call<types.CreateEntityData>): Promise<Answer<types.CreateEntityResponse>> {
    return this.#transport.call({ id: 'createEntity', keyed: true }, sdk.createEntity, options)
  }

  /**
   * Read an entity
   *
   * One entity that the caller can access.
   */
  getEntity(options: Call<types.GetEntityData>): Promise<Answer<types.GetEntityResponse>> {
    return this.#transport.call({ id: 'getEntity', safe: true }, sdk.getEntity, options)
  }

  /**
   * Change an entity
   *
   * Changes the keys it names; absent keys keep their value, `null` resets.
   * `archived: true` stops uploads and frees the plan's entity; reading stays
   * possible.
   *
   * Assistants get 403; users do it at `details.confirm_url`.
   */
  updateEntity(options: Call<types.UpdateEntityData>): Promise<Answer<types.UpdateEntityResponse>> {
    return this.#transport.call({ id: 'updateEntity' }, sdk.updateEntity, options)
  }

  /**
   * Follow the event log
   *
   * Events oldest first. Whoever sends each `next_cursor` as `after` sees
   * every event exactly once, those included whose transaction committed
   * late. The log goes on: keep the last cursor and ask again with it. A
   * member reads the events of the entities they can access, an
   * administrator all.
   */
  listEvents(options: Call<types.ListEventsData> = {}): Pages<types.ListEventsResponse> {
    return this.#transport.list({ id: 'listEvents', safe: true }, sdk.listEvents, options, 'after')
  }

  /**
   * List providers and integrations
   *
   * The providers that entities can be connected to, each with the
   * integrations that the caller may see. The list is complete, so
   * `next_cursor` is always null.
   */
  listIntegrations(options: Call<types.ListIntegrationsData> = {}): Pages<types.ListIntegrationsResponse> {
    return this.#transport.list({ id: 'listIntegrations', safe: true }, sdk.listIntegrations, options, undefined)
  }

  /**
   * Connect an integration again
   *
   * Asks for the provider's consent anew, as
   * `POST /api/v1/integrations/oauth/authorize` does for a new integration.
   * The new consent must reach the organization that the integration was set
   * up with; else it becomes `ERROR` with the reason `tenant_changed`. The
   * same account's consent heals all integrations that stand on it.
   *
   * Assistants get 403; users do it at `details.confirm_url`.
   */
  connectIntegration(options: Call<types.ConnectIntegrationData>): Promise<Answer<types.ConnectIntegrationResponse>> {
    return this.#transport.call({ id: 'connectIntegration' }, sdk.connectIntegration, options)
  }

  /**
   * Read where an integration stands
   *
   * The status with its reason, what was granted, and when something was last read or written there.
   */
  getIntegrationStatus(options: Call<types.GetIntegrationStatusData>): Promise<Answer<types.GetIntegrationStatusResponse>> {
    return this.#transport.call({ id: 'getIntegrationStatus', safe: true }, sdk.getIntegrationStatus, options)
  }

  /**
   * List invoices
   *
   * Summaries of the invoices of one entity or, without `entity_id`, of all
   * entities the caller can access, newest first. Filters combine.
   */
  listInvoices(options: Call<types.ListInvoicesData> = {}): Pages<types.ListInvoicesResponse> {
    return this.#transport.list({ id: 'listInvoices', safe: true }, sdk.listInvoices, options, 'cursor')
  }

  /**
   * Extract the invoice of a document
   *
   * Answers the invoice of the document, reading it if that has not happened
   * yet. Not ready after 30 seconds: 503 `still_processing` with Retry-After
   * and `details.progress`; earlier, with `details.held_reason`, if the
   * reader of documents is unavailable. A document that cannot be read is 400
   * `unreadable_document`, one that is no invoice 400 `not_an_invoice`, both
   * with `details.failure`; a document split into several is 400 `conflict`
   * with `details.children`. `force` reads again: values set by a person stay,
   * and a document taken for no invoice is read as one.
   */
  extractInvoice(options: Call<types.ExtractInvoiceData>): Promise<Answer<types.ExtractInvoiceResponse>> {
    return this.#transport.call({ id: 'extractInvoice', keyed: true }, sdk.extractInvoice, options)
  }

  /**
   * Read an invoice
   *
   * The invoice with its first 200 lines; `lines_total` counts all.
   */
  getInvoice(options: Call<types.GetInvoiceData>): Promise<Answer<types.GetInvoiceResponse>> {
    return this.#transport.call({ id: 'getInvoice', safe: true }, sdk.getInvoice, options)
  }

  /**
   * Correct an invoice
   *
   * A JSON merge patch: absent keys stay, `null` clears. `lines` are matched
   * by id (`{id, deleted: true}` removes a line, one without id adds one);
   * other arrays are replaced as a whole. EXTRACTED and NEEDS_REVIEW are
   * checked anew. On APPROVED and SYNC_FAILED the keys account_id,
   * tax_rate_id, contact_id, posting_date and note keep the approval, any
   * other takes it back. `note` may change in any status; everything else is
   * 400 `conflict`.
   */
  updateInvoice(options: Call<types.UpdateInvoiceData>): Promise<Answer<types.UpdateInvoiceResponse>> {
    return this.#transport.call({ id: 'updateInvoice' }, sdk.updateInvoice, options)
  }

  /**
   * Approve an invoice
   *
   * From EXTRACTED and NEEDS_REVIEW to APPROVED. `version` is the version
   * that was seen: another one is 400 `version_conflict`. Already approved:
   * 200, unchanged.
   *
   * `acknowledge_checks` names the rule of each failed BLOCKING check, which
   * a person compared with the original, and no passed rule. Otherwise 400
   * `checks_failed` with `details.checks`.
   */
  approveInvoice(options: Call<types.ApproveInvoiceData>): Promise<Answer<types.ApproveInvoiceResponse>> {
    return this.#transport.call({ id: 'approveInvoice' }, sdk.approveInvoice, options)
  }

  /**
   * Read the history of an invoice
   *
   * The events of the invoice and of its document, oldest first.
   */
  getInvoiceHistory(options: Call<types.GetInvoiceHistoryData>): Pages<types.GetInvoiceHistoryResponse> {
    return this.#transport.list({ id: 'getInvoiceHistory', safe: true }, sdk.getInvoiceHistory, options, 'cursor')
  }

  /**
   * List the lines of an invoice
   *
   * All lines of the invoice, in the order of the document.
   */
  listInvoiceLines(options: Call<types.ListInvoiceLinesData>): Pages<types.ListInvoiceLinesResponse> {
    return this.#transport.list({ id: 'listInvoiceLines', safe: true }, sdk.listInvoiceLines, options, 'cursor')
  }

  /**
   * Reject an invoice
   *
   * From every status but SYNCED to REJECTED. The invoice stays findable but counts in no sum. Already rejected is 200, unchanged.
   */
  rejectInvoice(options: Call<types.RejectInvoiceData>): Promise<Answer<types.RejectInvoiceResponse>> {
    return this.#transport.call({ id: 'rejectInvoice' }, sdk.rejectInvoice, options)
  }

  /**
   * Reopen an invoice
   *
   * From REJECTED, APPROVED and SYNC_FAILED back to NEEDS_REVIEW. Already there is 200, unchanged.
   */
  reopenInvoice(options: Call<types.ReopenInvoiceData>): Promise<Answer<types.ReopenInvoiceResponse>> {
    return this.#transport.call({ id: 'reopenInvoice' }, sdk.reopenInvoice, options)
  }

  /**
   * Book an invoice in the ledger
   *
   * Books an APPROVED or SYNC_FAILED invoice as a bill (a CREDIT_NOTE as a
   * credit note) in the ledger of the entity's accounting integration,
   * exactly once, attaches the original, and waits up to 30 s. The answer
   * is the invoice with the state that `sync` has come to by then: DONE;
   * FAILED, where a person must do what `sync.error.action` says; or QUEUED,
   * RUNNING or CHECKING, where it goes on by itself at
   * `sync.next_attempt_at`. An EXTRACTED invoice is approved by the system
   * first if the settings let it and every check passed, except WARNINGs of
   * `auto_approve_ignore`; otherwise 400 `conflict` with `details.checks`.
   *
   * Before the first booking the ledger is looked through. A bill of this
   * invoice is adopted. One of the same contact with the same number and
   * total ends in `already_in_ledger`, which names it: `link` adopts that
   * bill, `force` books another one nevertheless. While a booking is under
   * way they are refused with 400 `conflict`.
   *
   * On a SYNCED invoice the bill is read back. Where it was deleted or
   * voided in the ledger the invoice is APPROVED again with the error
   * `removed_in_ledger`, and only the next call books it anew.
   */
  syncInvoice(options: Call<types.SyncInvoiceData>): Promise<Answer<types.SyncInvoiceResponse>> {
    return this.#transport.call({ id: 'syncInvoice' }, sdk.syncInvoice, options)
  }

  /**
   * Validate an electronic invoice by the official rules
   *
   * Evaluates the rules of the profiles that the original claims: EN 16931,
   * and the specifications XRechnung and Peppol BIS Billing 3 that narrow it.
   * The rules are evaluated on the stored original at each request. Neither
   * the invoice nor its status changes; see the setting `einvoice_rules` for
   * the check of the same name.
   */
  getInvoiceValidation(options: Call<types.GetInvoiceValidationData>): Promise<Answer<types.GetInvoiceValidationResponse>> {
    return this.#transport.call({ id: 'getInvoiceValidation', safe: true }, sdk.getInvoiceValidation, options)
  }

  /**
   * Who am I
   *
   * The user, the organization of the credential, the user's other organizations, and what the credential may do.
   */
  getMe(options: Call<types.GetMeData> = {}): Promise<Answer<types.GetMeResponse>> {
    return this.#transport.call({ id: 'getMe', safe: true }, sdk.getMe, options)
  }

  /**
   * List the people of the organization
   *
   * The people an administrator can give a role on an entity, by name.
   */
  listMembers(options: Call<types.ListMembersData> = {}): Pages<types.ListMembersResponse> {
    return this.#transport.list({ id: 'listMembers', safe: true }, sdk.listMembers, options, 'cursor')
  }

  /**
   * Read the settings of an entity
   *
   * How the documents of this entity are handled.
   */
  getSettings(options: Call<types.GetSettingsData>): Promise<Answer<types.GetSettingsResponse>> {
    return this.#transport.call({ id: 'getSettings', safe: true }, sdk.getSettings, options)
  }

  /**
   * Change the settings of an entity
   *
   * Changes the keys it names; absent keys keep their value, `null` resets
   * to the default.
   *
   * Assistants get 403; users do it at `details.confirm_url`.
   */
  updateSettings(options: Call<types.UpdateSettingsData>): Promise<Answer<types.UpdateSettingsResponse>> {
    return this.#transport.call({ id: 'updateSettings' }, sdk.updateSettings, options)
  }

  /**
   * Ask for a provider's consent
   *
   * Answers the address of the provider's consent page, to be opened in a
   * browser within 10 minutes. Afterwards the browser goes to `redirect_url`
   * with `integration_id`, `status` and, where it came to nothing, `error`
   * (`access_denied`, `consent_failed` or `provider_unavailable`) added.
   *
   * An entity books in one place: asking again for the same accounting
   * provider asks for the consent of the same integration.
   */
  authorizeIntegration(options: Call<types.AuthorizeIntegrationData>): Promise<Answer<types.AuthorizeIntegrationResponse>> {
    return this.#transport.call({ id: 'authorizeIntegration' }, sdk.authorizeIntegration, options)
  }

  /**
   * Come back from a consent page
   *
   * Where providers send the browser after a consent page. It is not called
   * by clients. The `state` is good once, for 10 minutes, for the integration
   * and the person that asked; a provider adds parameters of its own.
   */
  finishAuthorization(options: Call<types.FinishAuthorizationData> = {}): Promise<Answer<undefined>> {
    return this.#transport.call({ id: 'finishAuthorization', open: true, safe: true, answers: 'redirect' }, sdk.finishAuthorization, options)
  }

  /**
   * Set an integration up
   *
   * Chooses the organization that invoices are booked in, or the place of a
   * document store that is watched. It is verified with the provider; the integration is then `ACTIVE`, or stays `PENDING` while
   * the provider is out of reach, and is verified by itself later. `status`
   * in the body is always `PENDING`.
   *
   * Later it changes the keys it names. An organization serves one entity;
   * once invoices were booked in it, another one is refused with `conflict`.
   *
   * Assistants get 403; users do it at `details.confirm_url`.
   */
  setUpIntegration(options: Call<types.SetUpIntegrationData>): Promise<Answer<types.SetUpIntegrationResponse>> {
    return this.#transport.call({ id: 'setUpIntegration' }, sdk.setUpIntegration, options)
  }

  /**
   * Disconnect an integration
   *
   * Ends this integration only. The provider's tokens are erased with the
   * last integration that uses them; documents, invoices and history stay.
   * `status_reason` says whether something is left to remove at the provider.
   * Ending it again changes nothing.
   */
  disconnectIntegration(options: Call<types.DisconnectIntegrationData>): Promise<Answer<types.DisconnectIntegrationResponse>> {
    return this.#transport.call({ id: 'disconnectIntegration' }, sdk.disconnectIntegration, options)
  }

  /**
   * Read the chart of accounts
   *
   * The accounts of the ledger with their class, complete unless `limit` is
   * given; read from the provider at most 30 seconds ago.
   *
   * At ACCOUNTING_A `class` is the AccountClass; a type that is not known is
   * an Expense. At ACCOUNTING_B it is the provider's own type:
   * AccountsReceivable, AccountsPayable and NonPosting stand in the complete
   * list and are selected by no value of `account_types`; nothing can be
   * booked on NonPosting. ACCOUNTING_A has no credit card accounts.
   */
  listAccountingAccounts(options: Call<types.ListAccountingAccountsData>): Pages<types.ListAccountingAccountsResponse> {
    return this.#transport.list({ id: 'listAccountingAccounts', safe: true }, sdk.listAccountingAccounts, options, 'cursor')
  }

  /**
   * Read contacts and vendors
   *
   * The contacts of the ledger, archived ones too, complete unless `limit` is
   * given; read from the provider at most 30 seconds ago.
   */
  listAccountingContacts(options: Call<types.ListAccountingContactsData>): Pages<types.ListAccountingContactsResponse> {
    return this.#transport.list({ id: 'listAccountingContacts', safe: true }, sdk.listAccountingContacts, options, 'cursor')
  }

  /**
   * Read currencies
   *
   * The currencies that the ledger takes, complete unless `limit` is
   * given; read from the provider at most 30 seconds ago.
   */
  listAccountingCurrencies(options: Call<types.ListAccountingCurrenciesData>): Pages<types.ListAccountingCurrenciesResponse> {
    return this.#transport.list({ id: 'listAccountingCurrencies', safe: true }, sdk.listAccountingCurrencies, options, 'cursor')
  }

  /**
   * List the organizations that the consent reaches
   *
   * The organizations of the provider that the integration can be set up with,
   * complete unless `limit` is given.
   */
  listAccountingOrganizations(options: Call<types.ListAccountingOrganizationsData>): Pages<types.ListAccountingOrganizationsResponse> {
    return this.#transport.list({ id: 'listAccountingOrganizations', safe: true }, sdk.listAccountingOrganizations, options, 'cursor')
  }

  /**
   * Read tax rates
   *
   * What a line of a bill can name as its tax, complete unless `limit` is
   * given; read from the provider at most 30 seconds ago.
   */
  listAccountingTaxRates(options: Call<types.ListAccountingTaxRatesData>): Pages<types.ListAccountingTaxRatesResponse> {
    return this.#transport.list({ id: 'listAccountingTaxRates', safe: true }, sdk.listAccountingTaxRates, options, 'cursor')
  }

  /**
   * List what can be watched
   *
   * DOCSTORE_A: the sites that the consent reaches; DOCSTORE_B: its folders.
   * Complete unless `limit` is given. What the account may not read is
   * `provider_unauthorized`, never an empty list.
   */
  listTriggerSources(options: Call<types.ListTriggerSourcesData>): Pages<types.ListTriggerSourcesResponse> {
    return this.#transport.list({ id: 'listTriggerSources', safe: true }, sdk.listTriggerSources, options, 'cursor')
  }

  /**
   * List what can be watched in a source
   *
   * DOCSTORE_A: the document libraries of a site; DOCSTORE_B: the sub-folders
   * of a folder. Complete unless `limit` is given. A source that is not there
   * is `not_found`, one that the account may not read `provider_unauthorized`.
   */
  listTriggerSubSources(options: Call<types.ListTriggerSubSourcesData>): Pages<types.ListTriggerSubSourcesResponse> {
    return this.#transport.list({ id: 'listTriggerSubSources', safe: true }, sdk.listTriggerSubSources, options, 'cursor')
  }

  /**
   * Receive an event of the identity provider
   *
   * The events organization.created and organization.updated keep the payment
   * customer and the trial in step; one that cannot be kept is answered with
   * 500, so that it is sent again. Every other event is answered with 200.
   * Without an identity provider the answer is `not_found`.
   */
  receiveIdentityEvent(options: Call<types.ReceiveIdentityEventData>): Promise<Answer<types.ReceiveIdentityEventResponse>> {
    return this.#transport.call({ id: 'receiveIdentityEvent', open: true }, sdk.receiveIdentityEvent, options)
  }

  /**
   * Receive an event of the payment processor
   *
   * The subscription events created, updated, deleted and resumed change what
   * is known of a plan; one that cannot be kept is answered with 500, so that
   * it is sent again. Every other event is answered with 200. Without a payment
   * processor the answer is `not_found`.
   */
  receivePaymentEvent(options: Call<types.ReceivePaymentEventData>): Promise<Answer<types.ReceivePaymentEventResponse>> {
    return this.#transport.call({ id: 'receivePaymentEvent', open: true }, sdk.receivePaymentEvent, options)
  }

  /**
   * Be told by a document store that something changed
   *
   * What changed is read from the store itself: a notification only brings
   * the next look at the watched place forward, however often it comes. Each
   * is proven by the secret that the store was given with the address,
   * DOCSTORE_A in the body, DOCSTORE_B in the header. A query with
   * `validationToken`, by which DOCSTORE_A finds out whether the address
   * answers, is answered with that text.
   */
  receiveStorageNotification(options: Call<types.ReceiveStorageNotificationData>): Promise<Answer<types.ReceiveStorageNotificationResponse>> {
    return this.#transport.call({ id: 'receiveStorageNotification', open: true, answers: 'text' }, sdk.receiveStorageNotification, options)
  }
}
