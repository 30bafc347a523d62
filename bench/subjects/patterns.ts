import { compilePattern, PATTERN_TEXT_LIMIT } from '../../src/fields/pattern.ts'
import type { Benchmark, Fact } from '../harness/benchmark.ts'

const OURS = 'a pattern of a user, harmless'
const NATIVE = 'the same as a RegExp'

/** What stalls an engine that goes back, or makes one large that does not. */
const HOSTILE: readonly (readonly [name: string, pattern: string, text: string])[] = [
  ['(a+)+$', '(a+)+$', 'a'],
  ['(a|a)*b', '(a|a)*b', 'a'],
  ['(.*a){20}', '(.*a){20}', 'a'],
  ['(x+x+)+y', '(x+x+)+y', 'x'],
  ['a?{25}a{25}', `${'a?'.repeat(25)}${'a'.repeat(25)}`, 'a'],
  ['[\\s\\S]{0,250}z', '[\\s\\S]{0,250}z', 'y'],
  ['(?:\\w+\\s?)+!', '(?:\\w+\\s?)+!', 'w '],
  // As automata they have a state for each of the last so many letters.
  ['a[ab]{11}[0-9]', 'a[ab]{11}[0-9]', abs()],
  ['[ab]*a[ab]{250}[0-9]', '[ab]*a[ab]{250}[0-9]', abs()],
]

/** Letters without an order that repeats; the same in every run. */
function abs(): string {
  let state = 1
  return Array.from({ length: PATTERN_TEXT_LIMIT }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state & 0x10000 ? 'a' : 'b'
  }).join('')
}

const PAGE = `<p>${'All is well. '.repeat(1000)}</p><p>Queue: 17</p>`
const HARMLESS = 'Queue: (\\d+)'

export const patterns: Benchmark = {
  name: 'patterns',
  about: 'patterns of users: what a harmless one costs, how long a hostile one holds everybody up',
  unit: 'search of 13 kB',
  prepare({ scale }) {
    const units = Math.round(100 * scale)
    const ours = compilePattern(HARMLESS)
    const native = new RegExp(HARMLESS)
    const times = (count: number, work: () => unknown): void => {
      for (let done = 0; done < count; done++) {
        if (work() === null) throw new Error('the number was not found')
      }
    }
    return {
      baseline: NATIVE,
      contenders: [
        { name: OURS, units, run: (count) => times(count, () => ours.exec(PAGE)) },
        { name: NATIVE, units: units * 100, run: (count) => times(count, () => native.exec(PAGE)) },
      ],
      facts: () => HOSTILE.map(heldUp),
    }
  },
}

/** One search takes one turn of the event loop, so that its length is what everybody else waits. */
function heldUp([name, source, filler]: (typeof HOSTILE)[number]): Fact {
  const text = filler.repeat(PATTERN_TEXT_LIMIT / filler.length)
  const pattern = compilePattern(source)
  const turns = Array.from({ length: 5 }, () => {
    const from = performance.now()
    // Whether it is there, and where: the dearest that a rule asks.
    pattern.exec(text)
    return performance.now() - from
  })
  return { name: `longest turn, ${name}`, value: Math.max(...turns), unit: 'ms', at_most: 50 }
}
