import type { Document } from '@docledger/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { api } from '@/api/client'
import { useEntity, useMay } from '@/layout/useEntity'
import '@/text/parts/documents'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { ErrorBanner } from '@/ui/parts'

/** What can be done with a document: open its invoice, or read it again. */
export function DocumentActions({ document }: { document: Document }) {
  const cache = useQueryClient()
  const entity = useEntity().entities.find((e) => e.id === document.entity_id)
  const mayEdit = useMay(entity, 'EDITOR')
  const again = useMutation({
    mutationFn: () => api.extractInvoice({ body: { document_id: document.id, force: true } }),
    onSettled: () => cache.invalidateQueries({ queryKey: ['documents'] }),
  })
  if (document.invoice_id) {
    return <Link to="/invoices/$id" params={{ id: document.invoice_id }} search={{ tab: 'all' }}>{t('documents.openInvoice')}</Link>
  }
  if (!mayEdit || (document.status !== 'FAILED' && document.status !== 'NOT_AN_INVOICE')) {
    return null
  }
  return (
    <>
      <Button small isPending={again.isPending} onPress={() => again.mutate()}>{t(document.status === 'FAILED' ? 'documents.again' : 'documents.treatAsInvoice')}</Button>
      {again.isError && <ErrorBanner error={again.error} />}
    </>
  )
}
