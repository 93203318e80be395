import type { Supplier } from '@docledger/client'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'

import { api } from '@/api/client'

const pageSize = 100
const shortestSearch = 2

export const suppliersQuery = (entityId: string | undefined, q: string) =>
  infiniteQueryOptions({
    queryKey: ['suppliers', entityId, q],
    queryFn: async ({ pageParam, signal }) =>
      (await api.listSuppliers({
        query: { limit: pageSize, ...(entityId ? { entity_id: entityId } : {}), ...(q.length >= shortestSearch ? { q } : {}), ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      })).data,
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const supplierQuery = (id: string) =>
  queryOptions({
    queryKey: ['supplier', id],
    queryFn: async ({ signal }): Promise<Supplier> => (await api.getSupplier({ path: { supplier_id: id }, signal })).data,
  })
