import { readFileSync } from 'node:fs'

import { inject } from 'vitest'

import { Docledger, type DocledgerOptions } from '../../../gen/typescript/src/index.js'

/** The values of the sandbox. */
export const sandbox = inject('sandbox')

const invoice = readFileSync(new URL('../../../examples/invoice-ubl.xml', import.meta.url), 'utf8')

/** A client with the token of the administrator. */
export async function signIn(options: Partial<DocledgerOptions> = {}): Promise<Docledger> {
  const baseUrl = sandbox.BASE_URL!
  const { data } = await new Docledger({ baseUrl, ...options }).login({
    body: { email: sandbox.LOGIN_EMAIL!, password: sandbox.LOGIN_PASSWORD! },
  })
  return new Docledger({ baseUrl, token: data.token, ...options })
}

/** The example invoice with a unique number, so that it is not a duplicate. */
export function invoiceFile(number: string): File {
  const text = invoice.replaceAll('2026-0042', number)
  return new File([text], `${number}.xml`, { type: 'application/xml' })
}

/** The example invoice with an embedded text file. */
export function invoiceWithAttachment(number: string): File {
  const reference =
    '<cac:AdditionalDocumentReference><cbc:ID>A</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/plain" filename="a.txt">aGVsbG8=</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>'
  const text = invoice.replaceAll('2026-0042', number).replace('<cac:AccountingSupplierParty>', `${reference}<cac:AccountingSupplierParty>`)
  return new File([text], `${number}.xml`, { type: 'application/xml' })
}

/** A PDF with a printed invoice on each page. */
export function printedFile(numbers: string[]): File {
  const lines = (number: string) => [
    'Maple Tools Ltd', 'INVOICE', `Invoice No: ${number}`, 'Invoice date: 3 May 2024', 'Bill to: Granite Inc', 'Steel bracket 2 20.00',
    'Drill 1 80.00', 'Net total $100.00', 'Tax 20% $20.00', 'Total $120.00',
  ]
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']
  const kids: string[] = []
  for (const number of numbers) {
    const content = `BT /F1 11 Tf 60 780 Td 20 TL ${lines(number).map((l) => `(${l}) Tj T*`).join(' ')} ET`
    objects.push(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${objects.length} 0 R >>`)
    kids.push(`${objects.length} 0 R`)
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`
  let text = '%PDF-1.4\n'
  const offsets = objects.map((body, i) => {
    const at = text.length
    text += `${i + 1} 0 obj\n${body}\nendobj\n`
    return at
  })
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return new File([text], 'printed.pdf', { type: 'application/pdf' })
}
