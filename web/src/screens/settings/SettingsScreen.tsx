import type { Settings, SettingsUpdate } from '@docledger/client'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { settingsQuery } from '@/api/queries'
import { useLedger } from '@/invoices/ledger'
import { NoEntity } from '@/layout/NoEntity'
import { useEntity, useIsAdmin } from '@/layout/useEntity'
import '@/text/parts/administration'
import '@/text/parts/review'
import { label, t, type MessageKey } from '@/text/text'
import { ComboField, SelectField } from '@/ui/choices'
import { CheckField, SwitchField, TextField } from '@/ui/fields'
import { notify } from '@/ui/notices'
import { Empty, ErrorBanner, Page, Section, Skeleton } from '@/ui/parts'

/** The settings of the chosen entity, or the choice of one. */
export function SettingsIndexScreen() {
  const { current, entities, none } = useEntity()
  if (current) {
    return <EntitySettings id={current.id} name={current.name} />
  }
  if (none && entities.length === 0) {
    return <Page title={t('nav.settings')}><div className="panel"><NoEntity /></div></Page>
  }
  return (
    <Page title={t('nav.settings')} lead={t('settings.choose')}>
      <ul className="panel choices">
        {entities.map((e) => <li key={e.id} className="choice"><Link to="/settings/$id" params={{ id: e.id }}>{e.name}</Link></li>)}
      </ul>
    </Page>
  )
}

export function SettingsScreen() {
  const { id } = useParams({ from: '/shell/settings/$id' })
  const entity = useEntity().entities.find((e) => e.id === id)
  return entity ? <EntitySettings id={id} name={entity.name} /> : <div className="page"><Empty title={t('error.notFound.title')} /></div>
}

function EntitySettings({ id, name }: { id: string; name: string }) {
  const settings = useQuery(settingsQuery(id))
  return (
    <Page title={t('settings.of', { name })}>
      {settings.isError && <ErrorBanner error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.isPending && <Skeleton rows={10} />}
      {settings.data && <SettingsForm settings={settings.data} />}
    </Page>
  )
}

type Switches = 'approval_required' | 'four_eyes' | 'auto_sync' | 'auto_extract' | 'route_by_buyer'
type Texts = 'timezone' | 'default_currency' | 'review_threshold'

const choices = {
  date_order: ['dateOrder', ['AUTO', 'DMY', 'MDY', 'YMD']],
  einvoice_rules: ['einvoiceRules', ['OFF', 'WARN', 'BLOCK']],
  duplicate_policy: ['duplicatePolicy', ['FLAG', 'REJECT']],
  bill_status: ['billStatus', ['DRAFT', 'SUBMITTED', 'AUTHORISED']],
  assistant_actions: ['assistantActions', ['READ', 'PREPARE', 'ALL']],
} as const

const ignorable = [
  'values_readable', 'iban_checksum', 'tax_id_checksum', 'dates_in_order', 'date_plausible', 'buyer_is_entity', 'paid_already', 'bank_account_known', 'page_agrees', 'single_invoice',
  'lines_readable', 'signs_turned', 'einvoice_rules', 'embedded_data_readable', 'not_a_duplicate',
] as const

/** Each setting with a sentence on what it changes. A change is saved at once. */
function SettingsForm({ settings }: { settings: Settings }) {
  const isAdmin = useIsAdmin()
  const ledger = useLedger(settings.entity_id)
  const update = useChange(async (body: SettingsUpdate) => {
    await api.updateSettings({ path: { entity_id: settings.entity_id }, body })
    notify(t('common.saved'))
  }, 'settings', 'invoices')
  const save = (body: SettingsUpdate) => update.mutate(body)
  const toggle = (name: Switches) => (
    <SwitchField key={name} label={t(`settings.${name}`)} hint={t(`settings.${name}.hint`)} isSelected={settings[name]} isDisabled={!isAdmin} onChange={(on) => save({ [name]: on })} />
  )
  const choice = (name: keyof typeof choices) => (
    <SelectField
      key={name}
      label={t(`settings.${name}`)}
      hint={t(`settings.${name}.hint`)}
      options={choices[name][1].map((value) => ({ value: value as string, label: label(choices[name][0], value) }))}
      value={settings[name]}
      isDisabled={!isAdmin}
      onChange={(value) => save({ [name]: value })}
    />
  )
  const text = (name: Texts, read: (typed: string) => string | number | null) => (
    <SavedText key={`${name}-${settings.version}`} name={name} value={String(settings[name] ?? '')} readOnly={!isAdmin} onSave={(typed) => save({ [name]: read(typed) })} />
  )
  const ignored = new Set(settings.auto_approve_ignore)
  return (
    <>
      {update.isError && <ErrorBanner error={update.error} />}
      <Section title={t('settings.approval')}>
        <div className="panel padded stack loose">
          {(['approval_required', 'four_eyes', 'auto_sync'] as const).map(toggle)}
          <div className="stack" role="group" aria-label={t('settings.ignore')}>
            <div><strong>{t('settings.ignore')}</strong><p className="muted">{t('settings.ignore.hint')}</p></div>
            <div className="chips">
              {ignorable.map((rule) => (
                <CheckField
                  key={rule}
                  label={label('rule', rule)}
                  isSelected={ignored.has(rule)}
                  isDisabled={!isAdmin}
                  onChange={(on) => save({ auto_approve_ignore: ignorable.filter((r) => (r === rule ? on : ignored.has(r))) })}
                />
              ))}
            </div>
          </div>
        </div>
      </Section>
      <Section title={t('settings.reading')}>
        <div className="panel padded stack loose">
          {(['auto_extract', 'route_by_buyer'] as const).map(toggle)}
          <div className="form">
            {text('review_threshold', Number)}
            {choice('date_order')}
            {text('timezone', (typed) => typed || null)}
            {text('default_currency', (typed) => typed.toUpperCase() || null)}
            {choice('einvoice_rules')}
            {choice('duplicate_policy')}
          </div>
        </div>
      </Section>
      <Section title={t('settings.ledger')}>
        <div className="panel padded form">
          {choice('bill_status')}
          {(['default_account_id', 'default_tax_rate_id'] as const).map((name) => {
            const options = name === 'default_account_id' ? ledger.accounts : ledger.taxRates
            return (
              <ComboField
                key={`${name}-${options.length}-${settings[name]}`}
                label={t(`settings.${name}`)}
                hint={ledger.connected ? t(`settings.${name}.hint`) : t('review.noLedger')}
                options={options}
                value={settings[name]}
                isDisabled={!isAdmin || options.length === 0}
                onChange={(value) => save({ [name]: value })}
              />
            )
          })}
        </div>
      </Section>
      <Section title={t('settings.assistants')}><div className="panel padded form">{choice('assistant_actions')}</div></Section>
    </>
  )
}

interface SavedTextProps {
  name: Texts
  value: string
  readOnly: boolean
  onSave: (typed: string) => void
}

/** A text that is saved when it is left. */
function SavedText({ name, value, readOnly, onSave }: SavedTextProps) {
  const [typed, setTyped] = useState(value)
  return (
    <TextField
      label={t(`settings.${name}`)}
      hint={t(`settings.${name}.hint` as MessageKey)}
      value={typed}
      onChange={setTyped}
      isReadOnly={readOnly}
      onBlur={() => typed.trim() !== value && onSave(typed.trim())}
    />
  )
}
