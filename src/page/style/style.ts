/**
 * The style sheet of all pages.
 *
 * @module
 */

import { CONTENT } from './content.ts'
import { GROUND } from './ground.ts'
import { PICTURES } from './pictures.ts'
import { PRINT } from './print.ts'
import { tokens } from './tokens.ts'

export function style(): string {
  return tokens() + GROUND + CONTENT + PICTURES + PRINT
}
