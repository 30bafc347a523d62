/**
 * Conditions of Gatus on values of a JSON body, as assertions of `json`.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'

/** `[BODY].data[0].id`, alone or as the operand of `len` and `has`. */
const PLACE = /^\[BODY\]((?:\.[\w-]+|\[\d+\])+)$/
const CONDITION = /^(?:(len|has)\()?(\[BODY\][^\s=!<>()]+)\)? ?(==|!=|<=|>=|<|>)(.+)$/

/** `undefined` if the condition is of something else, or has no counterpart. */
export function jsonAssertion(condition: string): JsonObject | undefined {
  const [, of, place = '', operator = '', operand = ''] = CONDITION.exec(condition) ?? []
  const path = pathOf(place)
  const value = operand.trim().replace(/^"(.*)"$/, '$1')
  if (path === undefined || /^(?:pat|any|len|has)\(|^\[/.test(value)) return undefined
  if (of === 'has') return presence(path, `${operator} ${value}`)
  if (of === 'len') return length(path, operator, value)
  return comparison(path, operator, value)
}

/** A name with a dash is no shorthand in JSONPath (RFC 9535, 2.5.1.1). */
function pathOf(place: string): string | undefined {
  const [, rest] = PLACE.exec(place) ?? []
  return rest === undefined ? undefined : `$${rest.replace(/\.(\w*-[\w-]*|\d\w*)/g, "['$1']")}`
}

function presence(path: string, said: string): JsonObject | undefined {
  if (said === '== true' || said === '!= false') return { path, op: 'exists' }
  return said === '== false' || said === '!= true' ? { path, op: 'absent' } : undefined
}

function length(path: string, operator: string, value: string): JsonObject | undefined {
  const items = `${path}[*]`
  if (operator === '==' && /^\d+$/.test(value))
    return { path: items, op: 'count', value: Number(value) }
  return operator === '>' && value === '0' ? { path: items, op: 'exists' } : undefined
}

function comparison(path: string, operator: string, value: string): JsonObject | undefined {
  const number = Number(value)
  if (operator === '>' || operator === '<') {
    const op = operator === '>' ? 'greater' : 'less'
    return Number.isFinite(number) ? { path, op, value: number } : undefined
  }
  // Gatus compares texts: 1 and "1" are the same there.
  const isText = Number.isNaN(number) && !/^(?:true|false|null)$/.test(value)
  if (operator === '==' && isText) return { path, op: 'equals', value }
  if (operator === '==') return { path, op: 'matches', value: `^${value.replaceAll('.', '\\.')}$` }
  return operator === '!=' && isText ? { path, op: 'not', value } : undefined
}
