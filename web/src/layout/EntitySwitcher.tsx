import { lazy, Suspense } from 'react'

import { useEntity } from './useEntity'

const EntityChoice = lazy(() => import('./EntityChoice').then((m) => ({ default: m.EntityChoice })))

/** Chooses the entity of every page. With one entity there is nothing to choose. */
export function EntitySwitcher() {
  const { several, current } = useEntity()
  if (!several) {
    return <div className="only-entity ellipsis">{current?.name}</div>
  }
  return <Suspense fallback={<div className="only-entity ellipsis">{current?.name}</div>}><EntityChoice /></Suspense>
}
