import type { Session } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'

import { api, signOut } from '@/api/client'
import { useChange } from '@/api/mutate'
import { formatTime } from '@/format/format'
import { useMe } from '@/layout/useEntity'
import '@/text/parts/administration'
import '@/text/parts/documents'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { DataTable, type Column } from '@/ui/DataTable'
import { ErrorBanner, Page, Skeleton, Tag } from '@/ui/parts'

export function SessionsScreen() {
  const me = useMe()
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => api.listSessions({ signal }).toArray(200) })
  const end = useChange<Session, unknown>((session) => (session.current ? signOut() : api.endSession({ path: { session_id: session.id } })), 'sessions')
  const columns: Column<Session>[] = [
    { id: 'organization', header: t('sessions.organization'), cell: (s) => me?.organizations.find((o) => o.id === s.organization_id)?.name ?? '–' },
    { id: 'begun', header: t('sessions.begun'), cell: (s) => formatTime(s.created_at) },
    { id: 'used', header: t('sessions.used'), cell: (s) => formatTime(s.refreshed_at) },
    { id: 'expires', header: t('sessions.expires'), cell: (s) => formatTime(s.expires_at) },
    {
      id: 'actions',
      header: t('documents.actions'),
      kind: 'actions',
      cell: (s) => (
        <span className="row end">
          {s.client_id !== null && <Tag>{t('sessions.assistant')}</Tag>}
          {s.current && <Tag tone="green">{t('sessions.current')}</Tag>}
          <Button small onPress={() => end.mutate(s)}>{s.current ? t('account.signOut') : t('sessions.end')}</Button>
        </span>
      ),
    },
  ]
  return (
    <Page title={t('sessions.title')} lead={t('sessions.lead')}>
      {(sessions.error ?? end.error) && <ErrorBanner error={sessions.error ?? end.error} />}
      {sessions.isPending && <Skeleton rows={3} />}
      {sessions.data && <DataTable label={t('sessions.title')} columns={columns} rows={sessions.data} rowKey={(s) => s.id} />}
    </Page>
  )
}
