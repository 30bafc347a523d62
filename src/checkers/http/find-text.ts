/**
 * Searches a word in a text that arrives in pieces, across their edges, in time linear to the text.
 *
 * @module
 */

/**
 * `String.indexOf` is linear for words up to this length. A longer word can make it quadratic on a
 * hostile text: a minute for 64 MiB.
 */
const PLATFORM_CHARACTERS = 250

/** Receives the pieces in order; `true` once the word was found. */
export type FindText = (piece: string) => boolean

export function findText(word: string): FindText {
  return word.length > PLATFORM_CHARACTERS ? byTable(word) : byPlatform(word)
}

function byPlatform(word: string): FindText {
  const overlap = word.length - 1
  let tail = ''
  return (piece) => {
    const text = tail + piece
    if (text.includes(word)) return true
    tail = overlap === 0 ? '' : text.slice(-overlap)
    return false
  }
}

/** Knuth–Morris–Pratt: no character of the text is read twice. */
function byTable(word: string): FindText {
  const units = Uint16Array.from(word, (_, at) => word.charCodeAt(at))
  const fallback = fallbacks(units)
  let matched = 0
  return (piece) => {
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at)
      while (matched > 0 && units[matched] !== unit) matched = fallback[matched - 1] ?? 0
      if (units[matched] === unit) matched += 1
      if (matched === units.length) return true
    }
    return false
  }
}

/** For every prefix of the word: the length of its longest proper suffix that is also a prefix. */
function fallbacks(units: Uint16Array): Uint16Array {
  const table = new Uint16Array(units.length)
  let matched = 0
  for (let at = 1; at < units.length; at++) {
    while (matched > 0 && units[matched] !== units[at]) matched = table[matched - 1] ?? 0
    if (units[matched] === units[at]) matched += 1
    table[at] = matched
  }
  return table
}
