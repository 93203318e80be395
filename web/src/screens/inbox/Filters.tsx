import { useEffect, useRef, useState } from 'react'
import { Dialog, DialogTrigger, Input, Popover, SearchField } from 'react-aria-components'

import { useKeys } from '@/layout/useKeys'
import '@/text/parts/inbox'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { Icon } from '@/ui/Icon'

import type { InboxSearch } from './search'

interface Props {
  search: InboxSearch
  onChange: (part: Partial<InboxSearch>) => void
}

const typingPauseMs = 250
const dates = [
  ['issued_from', 'inbox.filter.issuedFrom'],
  ['issued_to', 'inbox.filter.issuedTo'],
  ['due_from', 'inbox.filter.dueFrom'],
  ['due_to', 'inbox.filter.dueTo'],
] as const

export function Filters({ search, onChange }: Props) {
  const count = dates.filter(([name]) => search[name]).length
  return (
    <div className="row">
      <Search value={search.q ?? ''} onChange={(q) => onChange({ q: q || undefined })} />
      <DialogTrigger>
        <Button icon="settings">{count > 0 ? t('inbox.filters.active', { count }) : t('inbox.filters')}</Button>
        <Popover className="popover" placement="bottom end">
          <Dialog className="filters" aria-label={t('inbox.filters')}>
            {dates.map(([name, text]) => (
              <TextField key={name} label={t(text)} type="date" value={search[name] ?? ''} onChange={(value) => onChange({ [name]: value || undefined })} />
            ))}
            <Button look="quiet" isDisabled={count === 0} onPress={() => onChange(Object.fromEntries(dates.map(([name]) => [name, undefined])))}>
              {t('inbox.filters.clear')}
            </Button>
          </Dialog>
        </Popover>
      </DialogTrigger>
    </div>
  )
}

function Search({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed !== value) {
      const timer = setTimeout(() => onChange(typed), typingPauseMs)
      return () => clearTimeout(timer)
    }
    return undefined
  }, [typed, value, onChange])
  useKeys({ '/': () => input.current?.focus() })
  return (
    <SearchField aria-label={t('inbox.search')} value={typed} onChange={setTyped} className="search" onClear={() => onChange('')}>
      <Icon name="search" />
      <Input ref={input} className="input" placeholder={t('inbox.search')} />
    </SearchField>
  )
}
