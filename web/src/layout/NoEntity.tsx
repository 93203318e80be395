import { Link } from '@tanstack/react-router'

import '@/text/parts/no-entity'
import { t } from '@/text/text'
import { Empty } from '@/ui/parts'

import { useIsAdmin } from './useEntity'

/** What comes before the first upload: no document can be received without an entity. */
export function NoEntity({ onOpen }: { onOpen?: () => void }) {
  const isAdmin = useIsAdmin()
  return (
    <Empty title={t('entity.none')}>
      <p>{t('entity.none.text')}</p>
      {isAdmin ? <Link to="/entities" className="button plain" onClick={onOpen}>{t('entity.none.open')}</Link> : <p>{t('entity.none.ask')}</p>}
    </Empty>
  )
}
