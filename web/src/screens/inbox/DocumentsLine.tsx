import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { api } from '@/api/client'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { Icon } from '@/ui/Icon'

const most = 200

/** How many documents are no invoices yet, because they are being read or could not be read. */
export function DocumentsLine({ entityId }: { entityId?: string }) {
  const { data } = useQuery({
    queryKey: ['documents', 'open', entityId],
    queryFn: ({ signal }) =>
      api.listDocuments({ query: { status: ['UPLOADED', 'PROCESSING', 'FAILED'], limit: most, ...(entityId ? { entity_id: entityId } : {}) }, signal }).then((a) => a.data.items),
  })
  if (!data || data.length === 0) {
    return null
  }
  const held = data.some((d) => d.status !== 'FAILED' && d.held_reason !== null)
  const failed = data.filter((d) => d.status === 'FAILED' || d.held_reason !== null).length
  const reading = data.length - failed
  return (
    <p className="documents-line">
      {reading > 0 && <span className="tag"><Icon name="clock" />{t('inbox.documents', { count: reading })}</span>}
      {failed > 0 && <Link to="/documents" search={held ? {} : { status: 'FAILED' }} className="tag red"><Icon name="alert" />{t('inbox.unread', { count: failed })}</Link>}
    </p>
  )
}
