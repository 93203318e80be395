import { expectTypeOf, test } from 'vitest'

import type {
  AccountingAccount,
  AccountTypeEnum,
  Answer,
  Docledger,
  DocledgerError,
  EntityAccessInput,
  Invoice,
  InvoiceStatus,
  InvoiceSummary,
  ListInvoicesData,
  UsageByEntity,
  verifyWebhook,
  WebhookEvent,
} from '../../../gen/typescript/src/index.js'

// The compiler runs before these tests and reports their failures.

test('enumerations are open in responses and closed in requests', () => {
  const later: InvoiceStatus = 'A_LATER_STATUS'
  expectTypeOf(later).toExtend<string>()
  expectTypeOf<'APPROVED'>().toExtend<InvoiceStatus>()
  expectTypeOf<InvoiceStatus>().not.toEqualTypeOf<string>()
  expectTypeOf<'A_LATER_ACCESS'>().not.toExtend<EntityAccessInput>()
  type Filter = NonNullable<NonNullable<ListInvoicesData['query']>['status']>[number]
  expectTypeOf<'A_LATER_STATUS'>().not.toExtend<Filter>()
})

test('an enumeration that may be null says so', () => {
  expectTypeOf<null>().toExtend<InvoiceSummary['sync_state']>()
  expectTypeOf<null>().toExtend<AccountingAccount['account_class']>()
  expectTypeOf<null>().not.toExtend<AccountingAccount['class']>()
  expectTypeOf<'CostofGoodsSold'>().toExtend<AccountTypeEnum>()
  expectTypeOf<AccountTypeEnum>().not.toEqualTypeOf<string>()
})

test('a response has the type of its operation', () => {
  expectTypeOf<Docledger['getInvoice']>().returns.resolves.toEqualTypeOf<Answer<Invoice>>()
  expectTypeOf<Docledger['getBillingUsage']>().returns.resolves.toExtend<Answer<UsageByEntity | string>>()
  expectTypeOf<ReturnType<Docledger['listInvoices']>>().toExtend<AsyncIterable<InvoiceSummary>>()
  expectTypeOf<Docledger['finishAuthorization']>().returns.resolves.toEqualTypeOf<Answer<undefined>>()
})

test('required parameters are enforced and unknown ones are refused', () => {
  type Approve = Parameters<Docledger['approveInvoice']>[0]
  expectTypeOf<{ path: { invoice_id: string }; body: { version: number } }>().toExtend<Approve>()
  expectTypeOf<{ path: { invoice_id: string } }>().not.toExtend<Approve>()
  expectTypeOf<keyof Approve>().not.toExtend<'query'>()
})

test('the code determines the type of an error', () => {
  const describeError = (error: DocledgerError): unknown => {
    switch (error.code) {
      case 'version_conflict':
        expectTypeOf(error.details.current_version).toEqualTypeOf<number | undefined>()
        return error.details.current_version
      case 'unreadable_document':
        return error.details.failure?.code
      case 'timed_out':
        expectTypeOf(error.status).toEqualTypeOf<number | undefined>()
        return error.cause
      default:
        return error.status
    }
  }
  expectTypeOf(describeError).toBeFunction()
})

test('the type determines the subject of an event of a webhook', () => {
  expectTypeOf<typeof verifyWebhook>().returns.resolves.toEqualTypeOf<WebhookEvent>()
  const describeEvent = (event: WebhookEvent): string => {
    switch (event.type) {
      case 'invoice.approved':
        expectTypeOf(event.subject.type).toEqualTypeOf<'invoice'>()
        return event.subject.id
      case 'billing.limit_reached':
        expectTypeOf(event.subject.type).toEqualTypeOf<'organization'>()
        return event.organization_id
      default:
        return event.type
    }
  }
  expectTypeOf(describeEvent).toBeFunction()
  expectTypeOf<'invoice.no_such_event'>().not.toExtend<WebhookEvent['type']>()
})
