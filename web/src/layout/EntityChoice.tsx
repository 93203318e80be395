import { t } from '@/text/text'
import { ComboField } from '@/ui/choices'

import { useEntity } from './useEntity'

const all = 'all'

/** The choice of an entity. It is found by typing, so that it stays quick with 100 entities. */
export function EntityChoice() {
  const { entityId, entities, choose } = useEntity()
  const options = [
    { value: all, label: t('entity.all') },
    ...entities
      .map((e) => ({ value: e.id, label: e.name, detail: e.archived ? t('entity.archived') : undefined }))
      .sort((a, b) => a.label.localeCompare(b.label)),
  ]
  return (
    <ComboField
      key={options.length}
      bare
      label={t('entity.switch')}
      options={options}
      value={entityId ?? all}
      onChange={(id) => choose(id === all ? undefined : id)}
    />
  )
}
