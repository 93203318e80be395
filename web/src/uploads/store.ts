// The uploads of this tab. They continue while the person goes to other pages.
import type { Document } from '@docledger/client'
import { useSyncExternalStore } from 'react'

import { api } from '@/api/client'
import { isLost, reconnected } from '@/api/connection'
import { queryClient } from '@/api/queries'
import { errorText } from '@/ui/parts'

export interface Upload {
  id: number
  file: File
  /** The same for every attempt: an upload of which the response was lost is not made twice. */
  key: string
  entityId: string
  state: 'waiting' | 'sending' | 'sent' | 'failed'
  /** The share that is sent, from 0 to 1. */
  sent: number
  document?: Document
  error?: string
}

const newKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const atOnce = 4

let uploads: Upload[] = []
let next = 1
const listeners = new Set<() => void>()

function change(id: number, part: Partial<Upload>): void {
  uploads = uploads.map((u) => (u.id === id ? { ...u, ...part } : u))
  listeners.forEach((listener) => listener())
}

export function addUploads(files: File[], entityId: string): void {
  uploads = [...uploads, ...files.map((file): Upload => ({ id: next++, file, key: newKey(), entityId, state: 'waiting', sent: 0 }))]
  listeners.forEach((listener) => listener())
  start()
}

export function retryUpload(id: number): void {
  change(id, { state: 'waiting', sent: 0, error: undefined })
  start()
}

/** Removes the uploads that have ended. */
export function clearUploads(): void {
  uploads = uploads.filter((u) => u.state === 'waiting' || u.state === 'sending')
  listeners.forEach((listener) => listener())
}

function start(): void {
  const free = atOnce - uploads.filter((u) => u.state === 'sending').length
  for (const upload of uploads.filter((u) => u.state === 'waiting').slice(0, free)) {
    void send(upload)
  }
}

async function send({ id, file, key, entityId }: Upload): Promise<void> {
  change(id, { state: 'sending' })
  const attempt = () => api.uploadDocument({
    body: { entity_id: entityId, file },
    headers: { 'Idempotency-Key': key },
    onProgress: ({ loaded, total }) => change(id, { sent: total > 0 ? loaded / total : 0 }),
  })
  /** Waits for the connection and repeats, as often as the connection is lost. */
  const untilSent = (): ReturnType<typeof attempt> => attempt().catch(async (error: unknown) => {
    if (isLost(error) && (await reconnected())) {
      return untilSent()
    }
    throw error
  })
  try {
    const { data } = await untilSent()
    change(id, { state: 'sent', sent: 1, document: data })
    void queryClient.invalidateQueries({ queryKey: ['documents'] })
  } catch (error) {
    change(id, { state: 'failed', error: errorText(error) })
  }
  start()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useUploads = (): Upload[] => useSyncExternalStore(subscribe, () => uploads)
