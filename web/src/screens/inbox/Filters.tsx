import { memo } from 'react'
import { Dialog, DialogTrigger, Popover } from 'react-aria-components'

import { usePeople } from '@/api/people'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { SelectField } from '@/ui/choices'
import { TextField } from '@/ui/fields'
import { SearchInput } from '@/ui/SearchInput'

import { sorts, type InboxSearch } from './search'

interface Props {
  search: InboxSearch
  onChange: (part: Partial<InboxSearch>) => void
}

const anybody = 'anybody'
const newest = '-created_at'

const orders = sorts.flatMap((by) =>
  ([['desc', `-${by}`], ['asc', by]] as const).map(([direction, value]) => ({
    value: value as string,
    label: value === newest ? t('inbox.sort.none') : t('inbox.sort.by', { name: t(`inbox.sort.${by}`), direction: t(`inbox.sort.${direction}`) }),
  })))

const dates = [
  ['issued_from', 'inbox.filter.issuedFrom'],
  ['issued_to', 'inbox.filter.issuedTo'],
  ['due_from', 'inbox.filter.dueFrom'],
  ['due_to', 'inbox.filter.dueTo'],
] as const

export const Filters = memo(function Filters({ search, onChange }: Props) {
  const nameOf = usePeople()
  const count = [...dates.map(([name]) => name), 'assigned' as const].filter((name) => search[name]).length
  return (
    <div className="row">
      <SearchInput label={t('inbox.search')} value={search.q ?? ''} onChange={(q) => onChange({ q: q || undefined })} />
      <span className="wide-only">
        <Button icon="user" aria-pressed={search.assigned === 'me'} onPress={() => onChange({ assigned: search.assigned === 'me' ? undefined : 'me' })}>{t('inbox.filter.mine')}</Button>
      </span>
      <DialogTrigger>
        <Button icon="settings">{count > 0 ? t('inbox.filters.active', { count }) : t('inbox.filters')}</Button>
        <Popover className="popover" placement="bottom end">
          <Dialog className="filters" aria-label={t('inbox.filters')}>
            {dates.map(([name, text]) => (
              <TextField key={name} label={t(text)} type="date" value={search[name] ?? ''} onChange={(value) => onChange({ [name]: value || undefined })} />
            ))}
            <SelectField
              label={t('inbox.filter.assigned')}
              options={[
                { value: anybody, label: t('inbox.filter.anybody') },
                { value: 'me', label: t('inbox.filter.me') },
                { value: 'none', label: t('assign.noOne') },
                ...(search.assigned && search.assigned !== 'me' && search.assigned !== 'none' ? [{ value: search.assigned, label: nameOf(search.assigned) }] : []),
              ]}
              value={search.assigned ?? anybody}
              onChange={(value) => onChange({ assigned: value === anybody ? undefined : value })}
            />
            <SelectField label={t('inbox.sort')} options={orders} value={search.sort ?? newest} onChange={(value) => onChange({ sort: value === newest ? undefined : (value as InboxSearch['sort']) })} />
            <Button look="quiet" isDisabled={count === 0} onPress={() => onChange(Object.fromEntries([...dates.map(([name]) => name), 'assigned'].map((name) => [name, undefined])))}>
              {t('inbox.filters.clear')}
            </Button>
          </Dialog>
        </Popover>
      </DialogTrigger>
    </div>
  )
})
