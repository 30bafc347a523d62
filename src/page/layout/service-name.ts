/**
 * The name of a service on a public page, in the language of the reader where it has none.
 *
 * @module
 */

import { foreign } from './markup.ts'
import type { Content, Said } from './markup.ts'

/** A monitor is named after its address, which the page does not show. */
export const UNNAMED = ''

export function plainName(name: string): Said {
  return ({ words }) => (name === UNNAMED ? words.public.unnamed : name)
}

export function serviceName(name: string): Content {
  return name === UNNAMED ? plainName(name) : foreign(name)
}
