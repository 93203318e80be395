// The catalogue. The first page loads its texts; each screen adds its own by
// importing a file of the folder parts.
import type { administration } from './en/administration'
import { attention } from './en/attention'
import type { billing } from './en/billing'
import { common } from './en/common'
import type { confirm } from './en/confirm'
import type { documents } from './en/documents'
import type { inbox } from './en/inbox'
import type { integrations } from './en/integrations'
import type { keys } from './en/keys'
import type { noEntity } from './en/no-entity'
import type { overview } from './en/overview'
import type { review } from './en/review'
import type { setup } from './en/setup'
import { shell } from './en/shell'
import type { suppliers } from './en/suppliers'
import { uploads } from './en/uploads'
import { values } from './en/values'
import type { webhooks } from './en/webhooks'

type Parts = [
  typeof administration, typeof attention, typeof billing, typeof common, typeof confirm, typeof documents, typeof inbox, typeof integrations,
  typeof keys, typeof noEntity, typeof overview,
  typeof review, typeof setup, typeof shell, typeof suppliers, typeof uploads, typeof values,
  typeof webhooks,
]

type KeysOf<Part> = Part extends unknown ? keyof Part : never

export type MessageKey = KeysOf<Parts[number]> & string

export const messages: Record<string, string> = { ...common, ...shell, ...attention, ...uploads, ...values }

/** Adds the texts of a screen. */
export function addMessages(part: Record<string, string>): void {
  Object.assign(messages, part)
}
