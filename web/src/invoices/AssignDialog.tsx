import type { Entity } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { ListBox, ListBoxItem, Text } from 'react-aria-components'

import { meQuery, membersQuery } from '@/api/queries'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { Dialog } from '@/ui/overlays'
import { Tag } from '@/ui/parts'

interface Props {
  isOpen: boolean
  /** The entities of the invoices; only people who can read all of them are offered. */
  entities: readonly Entity[]
  /** To whom the invoice is assigned now; null for no one. */
  current?: string | null
  onClose: () => void
  onAssign: (userId: string | null) => void
}

const noOne = 'none'

/** Chooses the person who takes care of invoices. Typing moves to a name, Enter chooses it. */
export function AssignDialog({ isOpen, entities, current, onClose, onAssign }: Props) {
  const { data: me } = useQuery(meQuery)
  const chosen = current === undefined ? undefined : (current ?? noOne)
  // Only administrators may read the list of members. Others assign to themselves.
  const isAdmin = me?.organization.role === 'admin'
  const { data: members = [] } = useQuery({ ...membersQuery, enabled: isAdmin && isOpen })
  const canRead = (id: string, role: string) =>
    role === 'admin' || entities.every((e) => e.access === 'ORGANIZATION' || e.members.some((m) => m.user_id === id))
  const options = [
    ...(me ? [{ id: me.user.id, name: t('common.you'), detail: me.user.email }] : []),
    ...members
      .filter((m) => m.user_id !== me?.user.id && canRead(m.user_id, m.role))
      .map((m) => ({ id: m.user_id, name: m.name || m.email, detail: m.name ? m.email : '' }))
      .sort((a, b) => a.name.localeCompare(b.name)),
    { id: noOne, name: t('assign.noOne'), detail: '' },
  ]
  return (
    <Dialog title={t('assign.title')} isOpen={isOpen} onClose={onClose}>
      <ListBox
        aria-label={t('assign.title')}
        className="options"
        items={options}
        dependencies={[chosen]}
        autoFocus
        onAction={(key) => {
          onAssign(key === noOne ? null : String(key))
          onClose()
        }}
      >
        {(o) => (
          <ListBoxItem id={o.id} textValue={o.name} className="option">
            <Text slot="label">{o.name}</Text>
            {o.id === chosen && <Tag tone="green">{t('assign.now')}</Tag>}
            {o.detail && <span className="detail">{o.detail}</span>}
          </ListBoxItem>
        )}
      </ListBox>
    </Dialog>
  )
}
