/**
 * What was typed, as a form shows it again: without the secrets in it. Values of headers and logins in addresses are as
 * much secrets as passwords, wherever they are typed.
 *
 * @module
 */

import { canParseUrl } from '../../model/url.ts'
import { isHarmlessHeader } from '../../secrets/headers.ts'
import { MASK } from '../../secrets/mask.ts'
import type { Control } from './controls.ts'

export interface Typed {
  readonly text: string
  /** Something was left out, and has to be typed again. */
  readonly left_out: boolean
}

export function typedAgain({ kind, info }: Control, sent: string): Typed {
  // Browsers send line ends as CRLF.
  const typed = sent.replaceAll('\r\n', '\n')
  const text = textOf()
  return { text, left_out: text !== typed }

  function textOf(): string {
    if (kind === 'secret') return ''
    if (kind === 'headers') return withoutValues(typed)
    const isAddress = info.format === 'url' || info.destination !== undefined
    return isAddress && typed.includes('@') ? withoutLogin(typed) : typed
  }
}

/** {@link MASK} is refused where no secret is stored: what was left out cannot be forgotten. */
function withoutValues(typed: string): string {
  return typed
    .split('\n')
    .flatMap((line) => {
      const colon = line.indexOf(':')
      // Without a name it may be a value.
      if (colon < 0) return line.trim() === '' ? [line] : []
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()]
      const isShown = isHarmlessHeader(name.trim()) || value === '' || value === MASK
      return [isShown ? line : `${name}: ${MASK}`]
    })
    .join('\n')
}

/** What stands before the host of an address, also where the colon of its scheme is missing. */
const BEGINNING = /^\s*(?:[a-z][\w+.-]*:?)?[/\\]{2,}/i

function withoutLogin(typed: string): string {
  const from = BEGINNING.exec(typed)?.[0].length ?? 0
  const isReadable = typed.slice(0, from).includes(':') && canParseUrl(typed.trim())
  // In an address that cannot be read, the login may have any character.
  const end = isReadable ? typed.slice(from).search(/[/?#\\]/) : -1
  const to = typed.lastIndexOf('@', end < 0 ? typed.length : from + end)
  return to < from ? typed : typed.slice(0, from) + typed.slice(to + 1)
}
