// Uploads an invoice, waits for its data and prints number, amount and currency.
import { openAsBlob } from 'node:fs'

import { Docledger } from '@docledger/client'

export async function integrate(values: Record<string, string>, path: string): Promise<string> {
  let token: string | undefined
  const api: Docledger = new Docledger({
    baseUrl: values.BASE_URL!,
    // Called for each call, and again with a refused token.
    async token(refused) {
      if (token === undefined || token === refused) {
        const { data } = await api.login({ body: { email: values.LOGIN_EMAIL!, password: values.LOGIN_PASSWORD! } })
        token = data.token
      }
      return token
    },
  })
  const file = new File([await openAsBlob(path)], 'invoice-ubl.xml')
  const { data: document } = await api.uploadDocument({ body: { entity_id: values.ENTITY_ID!, file } })
  // The response comes when the extraction has ended.
  const { data: invoice } = await api.extractInvoice({ body: { document_id: document.id } })
  return `${invoice.invoice_number} ${invoice.gross_total} ${invoice.currency}`
}

if (process.argv[1]?.endsWith('integration.mts')) {
  console.log(await integrate(process.env as Record<string, string>, process.argv[2] ?? '../invoice-ubl.xml'))
}
