import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.ts'
import type { EngineOptions } from '../../src/engine/options.ts'
import { ConfigurationError } from '../../src/errors.ts'
import { silentLogger } from '../../src/logger.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'

/** What a caller without types may write. */
function refusal(options: unknown): string {
  try {
    createEngine(options as EngineOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }
  return 'taken'
}

const whole = () => ({ store: memoryStore(), checkers: [] })
const withOption = (name: string, value: unknown) => refusal({ ...whole(), [name]: value })

describe('an option that there is none of', () => {
  it.each([
    [{ stroe: 1 }, '"stroe"; did you mean "store"?'],
    [{ Logger: console }, '"Logger"; did you mean "logger"?'],
    [{ base_url: 'https://x' }, '"base_url"; did you mean "baseUrl"?'],
    [{ chekers: [] }, '"chekers"; did you mean "checkers"?'],
    [{ limits: { check: 5 } }, '"limits.check"; did you mean "checks"?'],
    [{ limits: { checks_per_host: 5 } }, '"limits.checks_per_host"; did you mean "checksPerHost"?'],
    [{ retention: { results_days: 5 } }, '"retention.results_days"; did you mean "resultsDays"?'],
    [{ retention: { weeks: 5 } }, '"retention.weeks"; known are resultsDays, notificationsDays'],
    [{ plugins: [] }, '"plugins"; known are store, checkers, contacts'],
  ])('%j is refused by name', (wrong, sentence) => {
    expect(refusal({ ...whole(), ...wrong })).toContain(`createEngine: unknown option ${sentence}`)
  })

  it('does not hide another: every problem is told at once', () => {
    const wrong = { stroe: 1, limits: { checks: 0, deliverys: 1 }, retention: { historyDays: -1 } }
    const message = refusal({ ...whole(), ...wrong })
    for (const name of [
      '"stroe"',
      'limits.checks:',
      '"limits.deliverys"',
      'retention.historyDays:',
    ])
      expect(message).toContain(name)
  })

  it('is not looked for in the prototype, and shown at a bearable length', () => {
    expect(withOption('constructor', 1)).toContain('unknown option "constructor"')
    expect(refusal({ ...whole(), ...JSON.parse('{"__proto__":1}') })).toContain('"__proto__"')
    expect(withOption('x'.repeat(10_000), 1).length).toBeLessThan(400)
    expect(withOption('a\nb', 1)).toContain('"a\\nb"')
  })

  it('that is undefined is absent, as every option is', () => {
    const names = ['contacts', 'probes', 'locations', 'targets', 'secretKey', 'baseUrl', 'ca']
    const more = ['anchors', 'limits', 'retention', 'clock', 'logger', 'tracing', 'stroe']
    const absent = Object.fromEntries([...names, ...more].map((name) => [name, undefined]))
    expect(refusal({ ...whole(), ...absent })).toBe('taken')
    const inner = { limits: { checks: undefined }, retention: { resultsDays: undefined } }
    expect(refusal({ ...whole(), ...inner })).toBe('taken')
  })
})

describe('a value that cannot work', () => {
  it.each([undefined, null, 5, 'x', []])('createEngine(%j) says what it takes', (options) => {
    expect(refusal(options)).toBe('createEngine: an object of options is expected')
  })

  const limits = [
    'checks',
    'checksPerHost',
    'deliveries',
    'deliveriesPerContact',
    'deliveriesPerHost',
  ]
  it.each(limits)('limits.%s is a whole number from 1 to 10000', (name) => {
    for (const wrong of [0, -1, 1.5, 10_001, NaN, Infinity, '5', null, 2n])
      expect(withOption('limits', { [name]: wrong })).toBe(
        `createEngine: limits.${name}: a whole number from 1 to 10000 is expected`,
      )
    for (const right of [1, 10_000]) expect(withOption('limits', { [name]: right })).toBe('taken')
  })

  it.each(['resultsDays', 'notificationsDays', 'historyDays', 'auditDays'])(
    'retention.%s is a number of days from 0.1 to 36500',
    (name) => {
      for (const wrong of [0, -1, -30, 0.09, 36_501, NaN, Infinity, '30', null])
        expect(withOption('retention', { [name]: wrong })).toBe(
          `createEngine: retention.${name}: a number from 0.1 to 36500 is expected`,
        )
      for (const right of [0.1, 0.5, 30, 36_500])
        expect(withOption('retention', { [name]: right })).toBe('taken')
    },
  )

  it.each([
    ['store', 5],
    ['checkers', 'http'],
    ['checkers', ['http']],
    ['contacts', [webhookContact]],
    ['contacts', webhookContact()],
    ['probes', {}],
    ['locations', 'local'],
    ['locations', [1]],
    ['targets', 'closed'],
    ['secretKey', 5],
    ['secretKey', 'short'],
    ['baseUrl', new URL('https://example.com')],
    ['ca', 5],
    ['anchors', '1.1.1.1:53'],
    ['limits', 5],
    ['limits', []],
    ['retention', 30],
    ['clock', { now: () => 0 }],
    ['logger', 'info'],
    ['logger', { error: () => undefined }],
    ['logger', true],
    ['tracing', {}],
  ])('%s is refused by name where it is %j', (name, wrong) => {
    const words = name === 'secretKey' ? 'secret' : name.replace(/s$/, '')
    const message = withOption(name, wrong)
    expect(message).toMatch(new RegExp(words, 'i'))
    expect(message).toMatch(/expected|needed/)
  })

  it('is never repeated: it may be a secret', () => {
    const wrong = { secretKey: { of: 'hunter2' }, baseUrl: ['hunter2'], logger: 'hunter2' }
    expect(refusal({ ...whole(), ...wrong })).not.toContain('hunter2')
  })

  it('one name twice is refused: only one of them could be meant', () => {
    expect(withOption('contacts', [webhookContact(), webhookContact()])).toContain('"webhook"')
    expect(withOption('locations', ['a', 'b', 'a'])).toContain('Two locations')
    expect(withOption('locations', ['a', ' '])).toContain('not empty')
  })
})

it.each([
  ['a logger', silentLogger],
  ['console', console],
  ['false', false],
])('%s is a logger', (_name, logger) => {
  expect(refusal({ ...whole(), logger, clock: simulatedClock() })).toBe('taken')
})
