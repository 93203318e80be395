import '@/screens/sign-in/sign-in.css'

import { hasCode } from '@docledger/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'

import { api, setUp } from '@/api/client'
import { queryClient } from '@/api/queries'
import { ConnectionBanner } from '@/layout/ConnectionBanner'
import '@/text/parts/setup'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { Banner, ErrorBanner, Skeleton } from '@/ui/parts'

const minPassword = 12

/** Creates the first organization and its administrator on an empty installation. */
export function SetupScreen() {
  const state = useQuery({ queryKey: ['setup'], queryFn: async () => (await api.getSetup()).data })
  if (state.isPending) {
    return <main className="sign-in setup"><ConnectionBanner /><Skeleton rows={6} /></main>
  }
  if (state.isError) {
    return <main className="sign-in setup"><ConnectionBanner /><ErrorBanner error={state.error} onRetry={() => void state.refetch()} /></main>
  }
  return state.data.open ? <SetupForm codeRequired={state.data.code_required} /> : <Navigate to="/sign-in" search={{}} replace />
}

function SetupForm({ codeRequired }: { codeRequired: boolean }) {
  const navigate = useNavigate()
  const [code, setCode] = useState('')
  const [organization, setOrganization] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const attempt = useMutation({
    mutationFn: () => setUp({ code: codeRequired ? code : undefined, organization_name: organization, name, email, password }),
    onSuccess: () => {
      queryClient.clear()
      return navigate({ to: '/', search: {}, replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    attempt.mutate()
  }
  return (
    <main className="sign-in setup">
      <ConnectionBanner />
      <form className="stack loose" onSubmit={submit}>
        <div className="sign-in-title">
          <img src="/favicon.svg" alt="" width="32" height="32" />
          <h1>{t('setup.title')}</h1>
        </div>
        <p className="muted">{t('setup.lead')}</p>
        {attempt.isError && (hasCode(attempt.error, 'invalid_credentials')
          ? <Banner tone="red" title={t('setup.failed')} />
          : <ErrorBanner error={attempt.error} />)}
        {codeRequired && (
          <TextField label={t('setup.code')} hint={t('setup.code.hint')} autoComplete="off" spellCheck="false" value={code} onChange={setCode} autoFocus isRequired />
        )}
        <TextField label={t('setup.organization')} autoComplete="organization" maxLength={200} value={organization} onChange={setOrganization} autoFocus={!codeRequired} isRequired />
        <TextField label={t('setup.name')} autoComplete="name" maxLength={200} value={name} onChange={setName} isRequired />
        <TextField label={t('signIn.email')} type="email" autoComplete="username" maxLength={320} value={email} onChange={setEmail} isRequired />
        <TextField label={t('signIn.password')} hint={t('setup.password.hint', { count: minPassword })} type="password" autoComplete="new-password" minLength={minPassword} value={password} onChange={setPassword} isRequired />
        <Button type="submit" look="primary" isPending={attempt.isPending}>{attempt.isPending ? t('setup.working') : t('setup.submit')}</Button>
      </form>
    </main>
  )
}
