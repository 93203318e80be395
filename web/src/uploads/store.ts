// The uploads of this tab. They continue while the person goes to other pages.
import type { Document } from '@docledger/client'
import { useSyncExternalStore } from 'react'

import { api } from '@/api/client'
import { queryClient } from '@/api/queries'
import { errorText } from '@/ui/parts'

export interface Upload {
  id: number
  file: File
  entityId: string
  state: 'waiting' | 'sending' | 'sent' | 'failed'
  /** The share that is sent, from 0 to 1. */
  sent: number
  document?: Document
  error?: string
}

const atOnce = 4

let uploads: Upload[] = []
let next = 1
const listeners = new Set<() => void>()

function change(id: number, part: Partial<Upload>): void {
  uploads = uploads.map((u) => (u.id === id ? { ...u, ...part } : u))
  listeners.forEach((listener) => listener())
}

export function addUploads(files: File[], entityId: string): void {
  uploads = [...uploads, ...files.map((file): Upload => ({ id: next++, file, entityId, state: 'waiting', sent: 0 }))]
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

async function send({ id, file, entityId }: Upload): Promise<void> {
  change(id, { state: 'sending' })
  try {
    const { data } = await api.uploadDocument({
      body: { entity_id: entityId, file },
      onProgress: ({ loaded, total }) => change(id, { sent: total > 0 ? loaded / total : 0 }),
    })
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
