import type { Member } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { membersQuery } from '@/api/queries'
import { useEntity, useMe } from '@/layout/useEntity'
import '@/text/parts/administration'
import { label, t } from '@/text/text'
import { DataTable, type Column } from '@/ui/DataTable'
import { ErrorBanner, Page, Skeleton } from '@/ui/parts'

export function MembersScreen() {
  const members = useQuery(membersQuery)
  const { entities } = useEntity()
  const me = useMe()
  const columns: Column<Member>[] = [
    { id: 'name', header: t('members.name'), cell: (m) => m.name || m.email },
    { id: 'email', header: t('members.email'), cell: (m) => m.email },
    { id: 'role', header: t('members.role'), cell: (m) => label('role', m.role) },
    { id: 'entities', header: t('members.entityRoles'), cell: (m) => <EntityRoles member={m} entities={entities} /> },
  ]
  return (
    <Page title={t('nav.members')} lead={t('members.lead', { name: me?.organization.name ?? '' })}>
      {members.isError && <ErrorBanner error={members.error} onRetry={() => void members.refetch()} />}
      {members.isPending && <Skeleton />}
      {members.data && <DataTable label={t('nav.members')} columns={columns} rows={members.data} rowKey={(m) => m.user_id} />}
    </Page>
  )
}

function EntityRoles({ member, entities }: { member: Member; entities: ReturnType<typeof useEntity>['entities'] }) {
  if (member.role === 'admin') {
    return <span className="muted">{t('members.entityRoles.all')}</span>
  }
  const roles = entities.flatMap((e) => {
    const role = e.members.find((m) => m.user_id === member.user_id)?.role ?? (e.access === 'ORGANIZATION' ? e.default_role : undefined)
    return role ? [{ id: e.id, name: e.name, role }] : []
  })
  return (
    <span>
      {roles.map((r, i) => (
        <span key={r.id}>{i > 0 && ', '}<Link to="/entities/$id" params={{ id: r.id }}>{r.name}</Link> ({label('entityRole', r.role)})</span>
      ))}
    </span>
  )
}
