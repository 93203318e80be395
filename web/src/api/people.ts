import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'

import { t } from '@/text/text'

import { meQuery, membersQuery } from './queries'

/** Returns a function that gives the name of a person by id. Only administrators may read the list of members. */
export function usePeople(): (id: string | null) => string {
  const { data: me } = useQuery(meQuery)
  const { data: members } = useQuery({ ...membersQuery, enabled: me?.organization.role === 'admin' })
  // Columns of tables are made again when it changes.
  return useCallback((id: string | null) => {
    if (id !== null && id === me?.user.id) {
      return t('common.you')
    }
    const member = members?.find((m) => m.user_id === id)
    return member?.name || member?.email || (members ? t('common.unknownPerson') : t('common.colleague'))
  }, [me, members])
}
