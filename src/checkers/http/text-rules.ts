/**
 * What a text or an address is compared with: plain, or a pattern; exact, or a beginning.
 *
 * @module
 */

import * as v from 'valibot'
import { defineField } from '../../fields/field.ts'
import type { FieldBuilder } from '../../fields/field.ts'
import { compilePattern, parsePattern } from '../../fields/pattern.ts'
import { textSchema } from '../../fields/text.ts'
import { parseUrl } from '../../fields/url.ts'

const MAX_KEYWORD_CHARACTERS = 1000

export interface Keyword {
  /** As the user wrote it. */
  readonly source: string
  /** Only this many characters from the start of a text are searched. */
  readonly searched: number
  foundIn(text: string): boolean
}

export interface FinalUrlRule {
  readonly source: string
  accepts(url: string): boolean
}

/** A text to look for, letter case and all, or a pattern between slashes. */
export function keywordField(description: string): FieldBuilder<string, Keyword> {
  const schema = v.pipe(
    textSchema({ max: MAX_KEYWORD_CHARACTERS, multiline: true }),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed || !isPattern(dataset.value)) return
      const parsed = parsePattern(dataset.value)
      if (!parsed.ok) addIssue({ message: `invalid: ${parsed.problem}` })
    }),
  )
  return defineField(
    { kind: 'string', format: 'keyword', min: 1, max: MAX_KEYWORD_CHARACTERS, description },
    schema,
    keyword,
  )
}

/** An address that the last redirect must have led to; a `*` at its end stands for any rest. */
export function finalUrlField(description: string): FieldBuilder<string, FinalUrlRule> {
  const schema = v.pipe(
    textSchema({ max: 2048, trim: true }),
    v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
      const isPrefix = dataset.value.endsWith('*')
      const parsed = parseUrl(isPrefix ? dataset.value.slice(0, -1) : dataset.value)
      if (parsed.ok) return isPrefix ? `${parsed.url}*` : parsed.url
      addIssue({ message: `invalid: ${parsed.problem}` })
      return NEVER
    }),
  )
  return defineField(
    { kind: 'string', format: 'url', min: 1, max: 2048, description },
    schema,
    finalUrlRule,
  )
}

/** `/…/` with flags that exist: `/usr/bin` is a plain text, `/usr/i` is a pattern. */
function isPattern(source: string): boolean {
  return /^\/.+\/[imsug]*$/su.test(source)
}

function keyword(source: string): Keyword {
  if (!isPattern(source)) {
    return { source, searched: Infinity, foundIn: (text) => text.includes(source) }
  }
  const pattern = compilePattern(source)
  return { source, searched: pattern.searched, foundIn: (text) => pattern.test(text) }
}

function finalUrlRule(source: string): FinalUrlRule {
  const start = source.endsWith('*') ? source.slice(0, -1) : undefined
  return {
    source,
    accepts: (url) => (start === undefined ? url === source : url.startsWith(start)),
  }
}
