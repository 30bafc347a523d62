/**
 * The style and the logo that an account gives a public page. Both are shown to strangers under the address of the
 * host, so that they fetch nothing: the page's Content-Security-Policy says the same once more.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { textSchema } from '../../fields/text.ts'
import { parseHost, parseUrl } from '../../fields/url.ts'

const MAX_CSS = 16_384
/** Characters of a `data:` URL; 48 KiB of an image. */
const MAX_LOGO = 65_536

/** What loads something, or hides it from this very check (CSS Syntax Level 3, 4.3.7: escapes). */
const LOADS: readonly (readonly [RegExp, string])[] = [
  [/\\/, 'escapes with a backslash; write the character itself'],
  [/@(?:import|font-face|namespace|charset)\b/i, '@import, @font-face, @namespace and @charset'],
  [
    /(?:^|[^-\w])(?:-(?:webkit|moz|ms|o)-)?(?:url|src|image|image-set|cross-fade|element|attr|expression)\s*\(/i,
    'url() and other functions that load or read something',
  ],
  [/behavior\s*:|-moz-binding/i, 'behavior and -moz-binding'],
  [/<\/?style|<!--/i, 'HTML'],
]

/** What a style sheet contains that it may not. */
function cssProblem(css: string): string | undefined {
  // A comment separates nothing inside a word: `u/**/rl(` is no `url(`, but older parsers disagree.
  const bare = css.replace(/\/\*[^]*?(?:\*\/|$)/g, '')
  const found = LOADS.find(([sign]) => sign.test(bare) || sign.test(css))
  if (found !== undefined) return `not allowed: ${found[1]}`
  let depth = 0
  for (const char of bare.replace(/"[^"\n]*"|'[^'\n]*'/g, '')) {
    if (char === '{') depth++
    if (char === '}' && --depth < 0) break
  }
  return depth === 0 ? undefined : 'the braces do not match'
}

export function pageCss(): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ min: 0, max: MAX_CSS, multiline: true }),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const problem = cssProblem(dataset.value)
      if (problem === undefined) return dataset.value
      addIssue({ message: `invalid: ${problem}` })
      return NEVER
    }),
  )
  const description =
    'CSS after the style of the page; it may load nothing (no `url()`, no `@import`)'
  return defineField({ kind: 'string', description, min: 0, max: MAX_CSS }, schema)
}

const IMAGE =
  /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,(?:[A-Za-z\d+/]{4})+(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/

/** Without `*`, `;` and `,`: the host stands in the policy of the page, where they have a meaning. */
function isPlainHost(url: string): boolean {
  return parseHost(new URL(url).hostname) !== undefined
}

export function pageLogo(): FieldBuilder<string> {
  const schema = v.pipe(
    textSchema({ min: 0, max: MAX_LOGO, trim: true }),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const { value } = dataset
      if (value === '' || IMAGE.test(value)) return value
      const parsed = parseUrl(value, { schemes: ['https'] })
      if (parsed.ok && parsed.url.length <= 2048 && isPlainHost(parsed.url)) return parsed.url
      addIssue({
        message:
          'invalid: an https:// address, or data:image/png;base64,… (png, jpeg, gif, webp, svg+xml) is expected',
      })
      return NEVER
    }),
  )
  const description =
    'Image beside the title: an https:// address, or a `data:` URL of at most 48 KiB. Empty: none'
  return defineField({ kind: 'string', description, min: 0, max: MAX_LOGO }, schema)
}
