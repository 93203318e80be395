// The state of the list of documents, which is in its address.
import type { ListDocumentsData } from '@docledger/client'

import { filled } from '@/screens/inbox/search'

export type Status = NonNullable<NonNullable<ListDocumentsData['query']>['status']>[number]

export const statuses: readonly Status[] = ['UPLOADED', 'PROCESSING', 'EXTRACTED', 'FAILED', 'NOT_AN_INVOICE', 'SPLIT']

export interface DocumentsSearch {
  q?: string
  status?: Status
}

/** Keeps of an address what is valid. */
export const readDocumentsSearch = (raw: Record<string, unknown>): DocumentsSearch => ({ q: filled(raw.q), status: statuses.find((s) => s === raw.status) })
