import { describe, expect, it } from 'vitest'
import { fitsIn } from '../../src/engine/core/json-size.ts'

describe('the size of a value as JSON', () => {
  it.each([
    ['text', 'x'.repeat(198)],
    ['text that is written out', '\u0001'.repeat(33)],
    ['numbers', Array.from({ length: 50 }, () => -1.2345678901234567e-300)],
    ['names', Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`name ${at}`, null]))],
    ['gaps', new Array<number>(49)],
    ['a date', { at: new Date(0) }],
    ['bytes', Buffer.alloc(40)],
    ['what is left out', { shown: 1, hidden: undefined }],
    ['layers', { a: { b: [{ c: [true, false, null] }] } }],
  ])('is told to the character: %s', (_what, value) => {
    const chars = JSON.stringify(value).length
    expect(fitsIn(value, chars)).toBe(true)
    expect(fitsIn(value, chars - 1)).toBe(false)
  })

  it('ends with a circle, and has none for what is no JSON', () => {
    const circle: Record<string, unknown> = {}
    circle.again = circle
    expect(fitsIn(circle, 64 * 1024)).toBe(false)
    expect(fitsIn({ big: 1n }, 64 * 1024)).toBe(false)
  })
})
