// Photos of several pages become one document: a PDF with one JPEG on each page. The operation mergeDocuments is not
// used for it. Each photo would first be a document that is extracted, counted and kept, merging needs a higher role
// than uploading, and a connection that ends between two photos would leave documents that no person wants.

const longestSide = 2400
const quality = 0.85
/** The width of an A4 page in points. */
const pageWidth = 595

interface Photo {
  bytes: Uint8Array<ArrayBuffer>
  width: number
  height: number
}

/** Reads an image upright, not larger than needed to read it, as JPEG. */
async function jpegOf(file: Blob): Promise<Photo> {
  const image = await createImageBitmap(file, { imageOrientation: 'from-image' })
  const scale = Math.min(1, longestSide / Math.max(image.width, image.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(image.width * scale)
  canvas.height = Math.round(image.height * scale)
  const context = canvas.getContext('2d')!
  context.fillStyle = '#fff' // transparent images have a white page
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  image.close()
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality))
  if (!blob) {
    throw new Error('the photo cannot be encoded')
  }
  return { bytes: new Uint8Array(await blob.arrayBuffer()), width: canvas.width, height: canvas.height }
}

/** Makes one PDF of photos, in their order. */
export async function pdfOf(photos: readonly Blob[], name: string): Promise<File> {
  const encoder = new TextEncoder()
  const parts: Uint8Array<ArrayBuffer>[] = []
  const offsets: number[] = []
  let length = 0
  const write = (data: string | Uint8Array<ArrayBuffer>) => {
    const bytes = typeof data === 'string' ? encoder.encode(data) : data
    parts.push(bytes)
    length += bytes.length
  }
  const begin = (id: number) => {
    offsets[id] = length
    write(`${id} 0 obj\n`)
  }
  const pageId = (n: number) => 3 + 3 * n
  write('%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n')
  begin(1)
  write('<< /Type /Catalog /Pages 2 0 R >>\nendobj\n')
  begin(2)
  write(`<< /Type /Pages /Count ${photos.length} /Kids [${photos.map((_, n) => `${pageId(n)} 0 R`).join(' ')}] >>\nendobj\n`)
  // One photo at a time, so that a phone does not hold all of them decoded.
  for (const [n, photo] of photos.entries()) {
    const { bytes, width, height } = await jpegOf(photo)
    const pageHeight = Math.round((pageWidth * height) / width)
    const id = pageId(n)
    const content = `q ${pageWidth} 0 0 ${pageHeight} 0 0 cm /P Do Q`
    begin(id)
    write(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}] /Contents ${id + 1} 0 R /Resources << /XObject << /P ${id + 2} 0 R >> >> >>\nendobj\n`)
    begin(id + 1)
    write(`<< /Length ${content.length} >>\nstream\n${content}\nendstream\nendobj\n`)
    begin(id + 2)
    write(`<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${bytes.length} >>\nstream\n`)
    write(bytes)
    write('\nendstream\nendobj\n')
  }
  const table = length
  write(`xref\n0 ${offsets.length}\n0000000000 65535 f \n${offsets.slice(1).map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')}`)
  write(`trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`)
  return new File(parts, name, { type: 'application/pdf' })
}
