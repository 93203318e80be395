const accents: Record<string, string> = {
  a: 'á', b: 'ƀ', c: 'ç', d: 'đ', e: 'é', f: 'ƒ', g: 'ğ', h: 'ħ', i: 'í', j: 'ĵ', k: 'ķ', l: 'ł', m: 'ɱ',
  n: 'ñ', o: 'ó', p: 'þ', q: 'ɋ', r: 'ř', s: 'š', t: 'ŧ', u: 'ú', v: 'ṽ', w: 'ŵ', x: 'ẋ', y: 'ý', z: 'ž',
}

/** Replaces each letter outside placeholders by one that no text of ours has. */
export function pseudo(text: string): string {
  return text.replace(/\{\w+\}|\{\w+\||[a-z]/gi, (part) => {
    const accented = accents[part.toLowerCase()]
    if (part.length > 1 || accented === undefined) {
      return part
    }
    return part === part.toLowerCase() ? accented : accented.toUpperCase()
  })
}
