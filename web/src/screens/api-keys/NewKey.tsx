import type { ApiKeyCreate } from '@docledger/client'
import { useState } from 'react'

import type { useEntity } from '@/layout/useEntity'
import { label, t } from '@/text/text'
import { Button } from '@/ui/Button'
import { SelectField } from '@/ui/choices'
import { CheckField, TextField } from '@/ui/fields'
import { ErrorBanner } from '@/ui/parts'
import { Secret } from '@/ui/Secret'

interface Props {
  entities: ReturnType<typeof useEntity>['entities']
  /** The secret of the created key; it is never shown again. */
  secret: string | undefined
  error: unknown
  isPending: boolean
  onCreate: (key: ApiKeyCreate) => void
  onClose: () => void
}

const roles = ['VIEWER', 'EDITOR', 'APPROVER'] as const
const days = ['30', '90', '365'] as const
const dayInMs = 24 * 60 * 60 * 1000

export function NewKey({ entities, secret, error, isPending, onCreate, onClose }: Props) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<(typeof roles)[number]>('VIEWER')
  const [life, setLife] = useState<(typeof days)[number]>('90')
  const [limited, limit] = useState<string[]>([])
  if (secret) {
    return <Secret title={t('apiKeys.secret')} hint={t('apiKeys.secret.hint')} label={t('apiKeys.secret.label')} secret={secret} onClose={onClose} />
  }
  const create = () => onCreate({
    name: name.trim(),
    role,
    expires_at: new Date(Date.now() + Number(life) * dayInMs).toISOString(),
    ...(limited.length > 0 ? { entity_ids: limited } : {}),
  })
  return (
    <form className="stack loose" onSubmit={(event) => { event.preventDefault(); create() }}>
      {error !== null && <ErrorBanner error={error} />}
      <TextField label={t('apiKeys.name')} hint={t('apiKeys.name.hint')} value={name} onChange={setName} autoFocus isRequired maxLength={100} />
      <SelectField label={t('apiKeys.role')} options={roles.map((r) => ({ value: r, label: label('keyRole', r) }))} value={role} onChange={setRole} />
      <SelectField label={t('apiKeys.life')} options={days.map((d) => ({ value: d, label: t('apiKeys.days', { days: d }) }))} value={life} onChange={setLife} />
      {entities.length > 1 && (
        <fieldset className="stack">
          <legend className="label">{t('apiKeys.entities')}</legend>
          <p className="hint">{t('apiKeys.entities.hint')}</p>
          {entities.map((e) => (
            <CheckField
              key={e.id}
              label={e.name}
              isSelected={limited.includes(e.id)}
              onChange={(on) => limit(on ? [...limited, e.id] : limited.filter((id) => id !== e.id))}
            />
          ))}
        </fieldset>
      )}
      <div className="actions"><Button type="submit" look="primary" isPending={isPending} isDisabled={name.trim() === ''}>{t('common.add')}</Button></div>
    </form>
  )
}
