// The files of a drop, also those in folders.

const ignored = /^(\.|Thumbs\.db$|desktop\.ini$)/i

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (ignored.test(entry.name)) {
    return []
  }
  if (entry.isFile) {
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: File[] = []
  for (;;) {
    // A reader returns the entries in parts, the last of which is empty.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (part.length === 0) {
      return found
    }
    for (const child of part) {
      found.push(...(await filesOf(child)))
    }
  }
}

export async function droppedFiles(transfer: DataTransfer): Promise<File[]> {
  // The entries must be read before the first wait, because the browser clears them.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  if (entries.length === 0) {
    return [...transfer.files]
  }
  return (await Promise.all(entries.map(filesOf))).flat()
}

export const keepFiles = (files: Iterable<File>): File[] => [...files].filter((file) => !ignored.test(file.name))
