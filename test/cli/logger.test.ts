import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { LOG_LEVELS, lineLogger } from '../../src/cli/logger.ts'

describe('a log line', () => {
  it('is one JSON document where no terminal reads it', () => {
    const { log, lines } = recorded('info')
    log.warn({ monitor_id: 7 }, 'down')
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'warn',
      msg: 'down',
      monitor_id: 7,
    })
  })

  it('is text for a person on a terminal', () => {
    const { log, lines } = recorded('info', true)
    log.info({ monitor_id: 7, name: 'Shop' }, 'up again')
    expect(lines[0]).toMatch(/^\d{4}-\S+Z info {2}up again monitor_id=7 name="Shop"\n$/)
  })

  it.each([true, false])('tells of an error and its cause (terminal: %s)', (isTTY) => {
    const { log, lines } = recorded('info', isTTY)
    const cause = new Error('disk full')
    log.error({ err: new StorageError('nothing was stored', { cause }) }, 'a round was lost')
    expect(lines[0]).toContain('a round was lost')
    expect(lines[0]).toContain('nothing was stored')
    if (!isTTY) {
      const { err } = JSON.parse(lines[0] ?? '') as { err: Record<string, unknown> }
      expect(err).toMatchObject({ code: 'storage', cause: { message: 'disk full' } })
    }
  })

  it('shows where an error came from that nobody foresaw', () => {
    const { log, lines } = recorded('info')
    log.error({ err: new TypeError('oops') }, 'failed')
    expect(lines[0]).toContain('logger.test.ts')
  })

  it.each([true, false])(
    'has no control characters and turns no line around, whatever a server said (terminal: %s)',
    (isTTY) => {
      const { log, lines } = recorded('info', isTTY)
      const banner = '\u001b[2J\u009b31m\u007f\u202egpj.exe\u2066'
      log.warn({ banner }, 'down: \u0007hello')
      expect(lines.join('').trimEnd()).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
      if (!isTTY) expect(JSON.parse(lines[0] ?? '')).toMatchObject({ banner })
    },
  )

  it('is one, or has its further ones indented: an error of others begins none of its own', () => {
    const { log, lines } = recorded('info', true)
    const forged = '2026-11-25T00:00:00.000Z info  all is well'
    log.error({ err: new Error(`relation missing\n${forged}`) }, `a round was lost\n${forged}`)
    const [first, ...more] = lines.join('').trimEnd().split('\n')
    expect(first).toContain('error a round was lost')
    expect(more.length).toBeGreaterThan(2)
    for (const line of more) expect(line).toMatch(/^ {4}/)
  })

  it.each(LOG_LEVELS.map((level, index) => [level, 4 - index] as const))(
    'of level %s: %i of the four levels are written',
    (level, count) => {
      const { log, lines } = recorded(level)
      for (const each of ['debug', 'info', 'warn', 'error'] as const) log[each]({}, each)
      expect(lines).toHaveLength(count)
    },
  )
})

function recorded(level: (typeof LOG_LEVELS)[number], isTTY = false) {
  const lines: string[] = []
  return { lines, log: lineLogger(level, { isTTY, write: (text) => lines.push(text) }) }
}
