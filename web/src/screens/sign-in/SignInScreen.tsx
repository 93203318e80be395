import './sign-in.css'

import { hasCode } from '@docledger/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearch } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'

import { api, signIn } from '@/api/client'
import { queryClient } from '@/api/queries'
import { ConnectionBanner } from '@/layout/ConnectionBanner'
import { t } from '@/text/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/fields'
import { Banner, ErrorBanner } from '@/ui/parts'

export function SignInScreen() {
  const { next } = useSearch({ from: '/sign-in' })
  const navigate = useNavigate()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const attempt = useMutation({
    mutationFn: () => signIn(email, password),
    onSuccess: () => {
      queryClient.clear()
      return navigate({ href: next ?? '/', replace: true })
    },
    onError: () => setPassword(''),
  })
  // Without users, no sign-in is possible.
  const setup = useQuery({ queryKey: ['setup'], queryFn: async () => (await api.getSetup()).data, retry: false })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    attempt.mutate()
  }
  if (setup.data?.open) {
    return <Navigate to="/setup" search={{}} replace />
  }
  return (
    <main className="sign-in">
      <ConnectionBanner />
      <form className="stack loose" onSubmit={submit}>
        <div className="sign-in-title">
          <img src="/favicon.svg" alt="" width="32" height="32" />
          <h1>{t('signIn.title')}</h1>
        </div>
        {attempt.isError
          ? hasCode(attempt.error, 'invalid_credentials')
            ? <Banner tone="red" title={t('signIn.failed')} />
            : <ErrorBanner error={attempt.error} />
          : next && <Banner tone="amber" title={t('signIn.ended')} />}
        <TextField label={t('signIn.email')} type="email" autoComplete="username" value={email} onChange={setEmail} autoFocus isRequired />
        <TextField label={t('signIn.password')} type="password" autoComplete="current-password" value={password} onChange={setPassword} isRequired />
        <Button type="submit" look="primary" isPending={attempt.isPending}>{attempt.isPending ? t('signIn.working') : t('signIn.submit')}</Button>
      </form>
    </main>
  )
}
