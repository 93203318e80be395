// The queries of records that several screens read.
import type { Document, Entity, Invoice, Me, Member } from '@docledger/client'
import { QueryClient, queryOptions } from '@tanstack/react-query'

import { api } from './client'

const minute = 60_000

export const queryClient = new QueryClient({
  defaultOptions: {
    // The client itself retries what can be retried.
    queries: { retry: false, staleTime: 15_000, refetchOnWindowFocus: true },
    // The client waits for the connection, so that the wait is counted and shown.
    mutations: { retry: false, networkMode: 'always' },
  },
})

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me> => (await api.getMe({ signal })).data,
  staleTime: 5 * minute,
})

export const entitiesQuery = queryOptions({
  queryKey: ['entities'],
  queryFn: ({ signal }): Promise<Entity[]> => api.listEntities({ query: { limit: 200 }, signal }).toArray(1000),
  staleTime: minute,
})

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }): Promise<Member[]> => api.listMembers({ query: { limit: 200 }, signal }).toArray(1000),
  staleTime: minute,
})

export const billingQuery = queryOptions({
  queryKey: ['billing'],
  queryFn: async ({ signal }) => (await api.getBilling({ signal })).data,
  staleTime: minute,
})

export const invoiceQuery = (id: string) =>
  queryOptions({
    queryKey: ['invoice', id],
    queryFn: async ({ signal }): Promise<Invoice> => (await api.getInvoice({ path: { invoice_id: id }, signal })).data,
  })

export const documentQuery = (id: string) =>
  queryOptions({
    queryKey: ['document', id],
    queryFn: async ({ signal }): Promise<Document> => (await api.getDocument({ path: { document_id: id }, signal })).data,
  })

export const emailQuery = (entityId: string) =>
  queryOptions({
    queryKey: ['email', entityId],
    queryFn: async ({ signal }) => (await api.getEmailIntake({ path: { entity_id: entityId }, signal })).data,
  })

export const settingsQuery = (entityId: string) =>
  queryOptions({
    queryKey: ['settings', entityId],
    queryFn: async ({ signal }) => (await api.getSettings({ path: { entity_id: entityId }, signal })).data,
  })

/** What needs a person, and whether there is anything to work on at all. */
export const attentionQuery = (entityId: string | undefined) =>
  queryOptions({
    queryKey: ['attention', entityId],
    queryFn: async ({ signal }) => {
      const entity = entityId ? { entity_id: entityId } : {}
      const [attention, invoices, documents] = await Promise.all([
        api.listAttention({ query: entity, signal }),
        api.listInvoices({ query: { ...entity, limit: 1 }, signal }),
        api.listDocuments({ query: { ...entity, limit: 1 }, signal }),
      ])
      return { found: attention.data.items, hasInvoices: invoices.data.items.length > 0 || documents.data.items.length > 0 }
    },
  })

export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => (await api.listIntegrations({ signal })).data.items,
})
