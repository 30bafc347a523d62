/**
 * `headers_expected`: assertions on headers of the response.
 *
 * @module
 */

import { headerNameField } from '../../fields/headers.ts'
import type { HttpExchange } from '../../net/net.ts'
import { SINGLE_OPERATORS, assertionOf, assertionsField, shown, spelledOut } from './assertion.ts'
import type { Assertion, Scalar } from './assertion.ts'

export interface StoredHeaderAssertion {
  readonly name: string
  readonly op: (typeof SINGLE_OPERATORS)[number]
  readonly value?: Scalar | undefined
}

export interface HeaderAssertion extends Assertion {
  /** In lower case. */
  readonly name: string
}

export const headersExpectedField = assertionsField<StoredHeaderAssertion, HeaderAssertion>({
  description:
    'What the headers of the answer must be: a list of { name, op, value }; all must hold. Repeated headers are one text, joined by commas',
  example: '[{"name":"cache-control","op":"contains","value":"max-age"}]',
  fields: { name: headerNameField({ description: 'Name of the header' }).required() },
  operators: SINGLE_OPERATORS,
  decode: ({ name, ...expected }) => ({ name, ...assertionOf(expected) }),
})

/** The text of the cause, or `undefined` if all hold. */
export function headerProblem(
  { headers }: Pick<HttpExchange, 'headers'>,
  assertions: readonly HeaderAssertion[],
): string | undefined {
  const broken = assertions.filter((assertion) => !holds(assertion, headers[assertion.name]))
  return spelledOut(assertions.length, broken, ({ name, expected }) => {
    const found = headers[name]
    return found === undefined
      ? `${name} is not among the headers, expected ${expected}`
      : `${name} is ${shown(found)}, expected ${expected}`
  })
}

function holds({ op, value, ...assertion }: HeaderAssertion, found: string | undefined): boolean {
  if (found === undefined || op === 'absent') return (found === undefined) === (op === 'absent')
  // A header is a text: 200 and "200" are the same here.
  if (op === 'equals') return found === String(value)
  if (op === 'not') return found !== String(value)
  const isNumeric = (op === 'greater' || op === 'less') && found.trim() !== ''
  return assertion.holds(isNumeric ? Number(found) : found)
}
