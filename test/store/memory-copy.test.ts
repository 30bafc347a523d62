import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copy } from '../../src/store/memory/copy.ts'

describe('what the memory store copies', () => {
  const anything = fc.anything({ withDate: true, withNullPrototype: true, withSparseArray: true })
  const withOddFields = fc.dictionary(
    fc.oneof(fc.string(), fc.constant('__proto__')),
    fc.oneof(anything, fc.constant(undefined), fc.constant(-0), fc.constant(Number.NaN)),
  )

  it('is what JSON makes of it', () => {
    fc.assert(
      fc.property(withOddFields, (value) => {
        const made = copy(value)
        expect(JSON.stringify(made)).toBe(JSON.stringify(value))
        expect(made).toStrictEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 100 },
    )
  })

  it('shares nothing with the original', () => {
    const original = { list: [{ deep: { n: 1 } }] }
    const made = copy(original)
    made.list[0]!.deep.n = 2
    made.list.push({ deep: { n: 3 } })
    expect(original).toEqual({ list: [{ deep: { n: 1 } }] })
  })

  it('refuses a cycle and a bigint, and keeps what is nested deeply', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = [cycle]
    expect(() => copy(cycle)).toThrow(TypeError)
    expect(() => copy({ n: [1n] })).toThrow(TypeError)
    let nested: unknown = { end: Number.NaN }
    for (let n = 0; n < 200; n++) nested = n % 2 === 0 ? [nested] : { nested }
    expect(copy(nested)).toStrictEqual(JSON.parse(JSON.stringify(nested)))
  })
})
