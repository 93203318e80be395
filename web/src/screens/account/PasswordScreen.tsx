import { useState, type FormEvent } from 'react'

import { api } from '@/api/client'
import { useChange } from '@/api/mutate'
import { session } from '@/api/session'
import '@/text/parts/administration'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { Banner, ErrorBanner, Page } from '@/ui/parts'

export function PasswordScreen() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const change = useChange(async () => {
    const { data } = await api.changePassword({ body: { current_password: current, new_password: next } })
    session.begin(data)
    setCurrent('')
    setNext('')
  }, 'sessions')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(undefined)
  }
  return (
    <Page title={t('password.title')} lead={t('password.lead')}>
      <form className="stack loose narrow" onSubmit={submit}>
        {change.isError && <ErrorBanner error={change.error} />}
        {change.isSuccess && <Banner tone="green" title={t('password.changed')} />}
        <TextField label={t('password.current')} type="password" autoComplete="current-password" value={current} onChange={setCurrent} isRequired />
        <TextField label={t('password.new')} hint={t('password.new.hint')} minLength={12} type="password" autoComplete="new-password" value={next} onChange={setNext} isRequired />
        <div><Button type="submit" look="primary" isPending={change.isPending}>{t('password.change')}</Button></div>
      </form>
    </Page>
  )
}
