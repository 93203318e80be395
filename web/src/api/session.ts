// The session of this browser tab. The token is in memory and in sessionStorage
// and nowhere else. Tabs of the same browser share it by a channel, so that one
// refresh serves all of them.

export interface Token {
  token: string
  expires_at: string
}

type Message = { kind: 'ask' } | { kind: 'token'; token: Token } | { kind: 'end' }

const storageKey = 'docledger.session'
const askTimeoutMs = 150

let current: Token | undefined = read()
const listeners = new Set<() => void>()
const channel = typeof BroadcastChannel === 'function' ? new BroadcastChannel('docledger.session') : undefined

function read(): Token | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Token | null
    return stored && Date.parse(stored.expires_at) > Date.now() ? stored : undefined
  } catch {
    return undefined
  }
}

function store(token: Token | undefined): void {
  current = token
  if (token) {
    sessionStorage.setItem(storageKey, JSON.stringify(token))
  } else {
    sessionStorage.removeItem(storageKey)
  }
  listeners.forEach((listener) => listener())
}

function post(message: Message): void {
  channel?.postMessage(message)
}

channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data.kind === 'ask' && current) {
    post({ kind: 'token', token: current })
  } else if (data.kind === 'token' && (!current || Date.parse(data.token.expires_at) > Date.parse(current.expires_at))) {
    store(data.token)
  } else if (data.kind === 'end') {
    store(undefined)
  }
})

export const session = {
  get: (): Token | undefined => current,

  begin(token: Token): void {
    store(token)
    post({ kind: 'token', token })
  },

  end(): void {
    store(undefined)
    post({ kind: 'end' })
  },

  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },

  /** Resolves when another tab has sent its session, or when none has answered. */
  async join(): Promise<void> {
    if (current || !channel) {
      return
    }
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        listeners.delete(done)
        resolve()
      }
      const timer = setTimeout(done, askTimeoutMs)
      listeners.add(done)
      post({ kind: 'ask' })
    })
  },
}
