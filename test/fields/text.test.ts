import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textSchema } from '../../src/fields/text.ts'

function problemOf(text: string, bounds: Parameters<typeof textSchema>[0] = {}): string | null {
  const result = textSchema(bounds)['~standard'].validate(text)
  if (result instanceof Promise) throw new TypeError('texts are judged at once')
  return result.issues?.[0]?.message ?? null
}

describe('a text', () => {
  it.each(['\ud800', 'a\udc00b', '\udc00\ud800'])(
    'may not hold half of a character: %j',
    (text) => {
      expect(problemOf(text)).toMatch(/^invalid: .*Unicode/)
      expect(problemOf(text, { multiline: true, controls: true })).toMatch(/^invalid/)
    },
  )

  it('is the same after UTF-8, whatever was accepted', () => {
    fc.assert(
      fc.property(fc.uint16Array({ minLength: 1, maxLength: 50 }), (units) => {
        const text = String.fromCharCode(...units)
        const accepted = problemOf(text, { multiline: true, controls: true }) === null
        expect(accepted).toBe(Buffer.from(text).toString() === text)
      }),
    )
    expect(problemOf('😀 ä')).toBeNull()
  })
})
