import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'

import type { Entity } from '@docledger/client'

import { entitiesQuery, meQuery } from '@/api/queries'

/** The entity that the person works in; undefined for all of them. */
export function useEntity() {
  const { entity } = useSearch({ strict: false }) as { entity?: string }
  const navigate = useNavigate()
  const { data, data: entities = [] } = useQuery(entitiesQuery)
  const active = entities.filter((e) => !e.archived)
  return {
    entityId: entity,
    entities,
    /** The chosen entity, or the only one. */
    current: entities.find((e) => e.id === entity) ?? (active.length === 1 ? active[0] : undefined),
    several: active.length > 1,
    /** Whether there is no entity that could receive a document. */
    none: data !== undefined && active.length === 0,
    choose: (id: string | undefined) => navigate({ to: '.', search: (old: object) => ({ ...old, entity: id }) } as never),
  }
}

export function useMe() {
  return useQuery(meQuery).data
}

export const useIsAdmin = (): boolean => useMe()?.organization.role === 'admin'

const rank = { VIEWER: 0, EDITOR: 1, APPROVER: 2 } as Record<string, number>

/** Reports whether the person has at least the role in the entity. The service decides; this hides what it would refuse. */
export function useMay(entity: Entity | undefined, role: 'EDITOR' | 'APPROVER'): boolean {
  const me = useMe()
  if (!me || !entity || entity.archived) {
    return false
  }
  if (me.organization.role === 'admin') {
    return true
  }
  const own = entity.members.find((m) => m.user_id === me.user.id)?.role
  const open = entity.access === 'ORGANIZATION' ? entity.default_role : undefined
  return Math.max(rank[own ?? ''] ?? -1, rank[open ?? ''] ?? -1) >= rank[role]!
}
