import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { merge } from '../../src/fields/merge.ts'
import { parse } from '../../src/fields/parse.ts'
import { field } from '../../src/fields/vocabulary.ts'

const table = {
  host: field.host({ description: 'Host' }).required(),
  auth: field.group(
    { user: field.text({ description: 'User' }), pass: field.secret({ description: 'Password' }) },
    { description: 'Login' },
  ),
}
const stored = { host: 'a.example', auth: { user: 'u', pass: 'p' } }

describe('a partial update', () => {
  it('reaches into groups, nested or dotted, and leaves the rest', () => {
    expect(merge(table, stored, { auth: { user: 'v' } })).toEqual({
      host: 'a.example',
      auth: { user: 'v', pass: 'p' },
    })
    expect(merge(table, stored, { 'auth.pass': null }).auth).toEqual({ user: 'u', pass: null })
  })

  it.each(['toString', 'hasOwnProperty.call', 'valueOf.', '__proto__.x', 'constructor.name'])(
    'does not take %s, which every object inherits, for a field',
    (name) => {
      const parsed = parse(table, merge(table, stored, { [name]: { fields: 1 } }))
      expect(parsed).toEqual({ ok: false, fields: { [name]: 'unknown_field' } })
    },
  )

  it('never throws, whatever the names and values', () => {
    const names = fc.oneof(
      fc.string(),
      fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)),
    )
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (patch) => {
        expect(() => parse(table, merge(table, stored, patch as never))).not.toThrow()
      }),
    )
  })
})
