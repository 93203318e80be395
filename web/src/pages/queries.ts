import { queryOptions } from '@tanstack/react-query'

import { api } from '@/api/client'

const unchanging = { staleTime: Infinity, gcTime: 10 * 60_000 }

/** The widths that the service keeps are multiples of this. */
const widthStep = 200
const largestWidth = 2000

/** The width to ask for, so that a page is sharp at a width in the window. */
export function imageWidth(cssWidth: number): number {
  const wanted = cssWidth * Math.min(window.devicePixelRatio || 1, 2)
  return Math.min(largestWidth, Math.max(widthStep, Math.ceil(wanted / widthStep) * widthStep))
}

export const pageImageQuery = (documentId: string, page: number, width: number) =>
  queryOptions({
    queryKey: ['page', documentId, page, width],
    queryFn: async ({ signal }) => (await api.getDocumentPage({ path: { document_id: documentId, page }, query: { width }, signal })).data as Blob,
    ...unchanging,
  })

export const pageWordsQuery = (documentId: string, page: number) =>
  queryOptions({
    queryKey: ['words', documentId, page],
    queryFn: async ({ signal }) => (await api.getDocumentPageWords({ path: { document_id: documentId, page }, signal })).data.words,
    ...unchanging,
  })
