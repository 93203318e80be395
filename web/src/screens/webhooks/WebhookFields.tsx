import { useState, type ReactNode } from 'react'

import { useEntity } from '@/layout/useEntity'
import '@/text/parts/webhooks'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { CheckField, TextField } from '@/ui/fields'

export interface WebhookValues {
  url: string
  types: string[]
  /** All entities if null. */
  entity_ids: string[] | null
}

interface Props {
  initial: WebhookValues
  action: string
  isPending: boolean
  onSave: (values: WebhookValues) => void
  children?: ReactNode
}

const common = ['invoice.approved', 'invoice.synced', 'invoice.needs_review', 'invoice.sync_failed', 'invoice.*', '*']

const linesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** The address of a webhook and what it receives. */
export function WebhookFields({ initial, action, isPending, onSave, children }: Props) {
  const { entities } = useEntity()
  const [url, setUrl] = useState(initial.url)
  const [types, setTypes] = useState(initial.types.join('\n'))
  const [limited, limit] = useState(initial.entity_ids ?? [])
  const chosen = linesOf(types)
  return (
    <form
      className="stack loose"
      onSubmit={(event) => { event.preventDefault(); onSave({ url: url.trim(), types: chosen, entity_ids: limited.length > 0 ? limited : null }) }}
    >
      {children}
      <TextField label={t('webhooks.url')} hint={t('webhooks.url.hint')} type="url" value={url} onChange={setUrl} autoFocus={initial.url === ''} isRequired maxLength={2048} />
      <TextField lines label={t('webhooks.types')} hint={t('webhooks.types.hint')} value={types} onChange={setTypes} isRequired />
      <div className="row wrap" role="group" aria-label={t('webhooks.types.common')}>
        {common.filter((type) => !chosen.includes(type)).map((type) => (
          <Button key={type} small icon="plus" onPress={() => setTypes([...chosen, type].join('\n'))}><code>{type}</code></Button>
        ))}
      </div>
      {entities.length > 1 && (
        <fieldset className="stack">
          <legend className="label">{t('webhooks.entities')}</legend>
          <p className="hint">{t('webhooks.entities.hint')}</p>
          {entities.map((e) => (
            <CheckField key={e.id} label={e.name} isSelected={limited.includes(e.id)} onChange={(on) => limit(on ? [...limited, e.id] : limited.filter((id) => id !== e.id))} />
          ))}
        </fieldset>
      )}
      <div className="actions"><Button type="submit" look="primary" isPending={isPending} isDisabled={url.trim() === '' || chosen.length === 0}>{action}</Button></div>
    </form>
  )
}
