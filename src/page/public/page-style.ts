/**
 * The style sheet and the logo of one public page. The style is a file of its own: nothing in it can end an element.
 *
 * @module
 */

import { createHash } from 'node:crypto'
import type { PageColors, PublicPageSettings } from '../../model.ts'
import type { Answer } from '../http/answer.ts'

/** Empty for a page that looks like all others. */
export function pageStyle({ colors, css }: PublicPageSettings): string {
  const light = declared(colors.light)
  const dark = declared(colors.dark)
  return [
    light && `:root{${light}}\n@media print{:root[data-theme]{${light}}}\n`,
    dark &&
      `:root[data-theme=dark]{${dark}}\n@media screen and (prefers-color-scheme:dark){:root[data-theme=auto]{${dark}}}\n`,
    css,
  ].join('')
}

/** The colours as custom properties, and the softer ones that belong to them. */
function declared(colors: PageColors): string {
  const { good, bad } = colors
  return [
    ...Object.entries(colors).map(([name, value]) => `--${name}:${value}`),
    good === undefined ? '' : `--good-soft:${good}`,
    bad === undefined ? '' : `--bad-soft:color-mix(in srgb,${bad} 10%,var(--ground))`,
  ]
    .filter((each) => each !== '')
    .join(';')
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

/** A style sheet whose address has its digest. */
export function styleAnswer(settings: PublicPageSettings): Answer {
  return file('text/css; charset=utf-8', Buffer.from(pageStyle(settings)))
}

/** The image of a `data:` URL; `undefined` for a logo elsewhere. It is shown as an image only: no script in it runs. */
export function logoAnswer({ logo }: PublicPageSettings): Answer | undefined {
  const [, type, data] = /^data:([^;]+);base64,(.*)$/.exec(logo) ?? []
  if (type === undefined || data === undefined) return undefined
  return file(type, Buffer.from(data, 'base64'))
}

function file(type: string, body: Uint8Array<ArrayBuffer>): Answer {
  const headers = {
    'Content-Type': type,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  }
  return { status: 200, headers, body }
}

/** The address of a logo elsewhere, as a source of a policy: without its query. */
export function imageSource({ logo }: PublicPageSettings): string | undefined {
  if (!logo.startsWith('https:')) return undefined
  const { origin, pathname } = new URL(logo)
  return origin + pathname.replace(/[;,']/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
}
