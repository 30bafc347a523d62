import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineChecker } from '../../src/checkers/checker.ts'
import { field } from '../../src/fields/vocabulary.ts'
import type { Logger } from '../../src/logger.ts'
import { createRest } from '../../src/rest/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { rig } from './rig.ts'

interface Line {
  readonly level: number
  readonly msg: string
  readonly err?: { readonly message: string; readonly stack: string; readonly code?: string }
  readonly [field: string]: unknown
}

function recorded(level = 'debug'): { readonly logger: Logger; readonly lines: Line[] } {
  const lines: Line[] = []
  const write = (text: string): void => void lines.push(JSON.parse(text) as Line)
  // As it is: the compiler takes a pino logger for ours.
  return { logger: pino({ level, base: null }, { write }), lines }
}

const throwing = defineChecker({
  type: 'throwing',
  title: 'Throwing',
  description: 'Fails in a way nobody thought of',
  fields: {
    host: field.host({ description: 'Target' }).required(),
    pass: field.secret({ description: 'A secret' }),
  },
  causes: {},
  target: ({ host }) => host,
  run(ctx, { host, pass }) {
    ctx.log.info({ host, pass }, 'a checker has something to say')
    return Promise.reject(new TypeError(`no function at ${host}`, { cause: new Error(pass) }))
  },
})

const ERROR = 50
const INFO = 30

describe('a pino logger', () => {
  it('gets fields, messages and errors with their stack, without secrets', async () => {
    const { logger, lines } = recorded()
    const { engine, clock } = await rig({ checkers: [throwing], logger })
    onTestFinished(() => engine.stop({ drainMs: 0 }))
    await engine.monitors.create({
      ...{ type: 'throwing', name: 'x', host: 'x.test', pass: 'very-secret-word' },
    })
    await clock.advance(2_000)
    const said = lines.find(({ msg }) => msg === 'a checker has something to say')
    expect(said).toMatchObject({ level: INFO, host: 'x.test' })
    const failed = lines.find(({ msg }) => msg === 'a checker failed')
    expect(failed).toMatchObject({ level: ERROR, type: 'throwing' })
    expect(failed?.err?.message).toContain('no function at x.test')
    expect(failed?.err?.stack).toContain('pino.test.ts')
    expect(JSON.stringify(lines)).not.toContain('very-secret-word')
  })

  it('gets what the API could not answer, with its cause', async () => {
    const { logger, lines } = recorded()
    const store = memoryStore()
    const { engine } = await rig({}, { store })
    onTestFinished(() => engine.stop({ drainMs: 0 }))
    await engine.keys.create({ key: 'key-of-this-account' })
    const monitors = { ...engine.account(1).monitors, list: () => Promise.reject(new Error('odd')) }
    const broken = { ...engine, account: () => ({ ...engine.account(1), monitors }) }
    const { fetch } = createRest(broken as never, { logger })
    const headers = { authorization: 'Bearer key-of-this-account' }
    expect((await fetch(new Request('http://x/api/v1/monitors', { headers }))).status).toBe(500)
    expect(lines).toMatchObject([{ level: ERROR, err: { type: 'Error', message: 'odd' } }])
  })

  it('decides itself what is worth a line', async () => {
    const { logger, lines } = recorded('error')
    const { engine, clock } = await rig({ checkers: [throwing], logger })
    onTestFinished(() => engine.stop({ drainMs: 0 }))
    await engine.monitors.create({ type: 'throwing', name: 'x', host: 'x.test' })
    await clock.advance(2_000)
    expect(lines.map(({ msg }) => msg)).toEqual(['a checker failed'])
  })
})
