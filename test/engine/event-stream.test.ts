import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigurationError, NotFoundError } from '../../src/errors.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

let made: Rig
beforeEach(async () => {
  made = await rig()
})
afterEach(() => made.engine.stop())

async function pauses(names: readonly string[], account_id = 1): Promise<void> {
  const { monitors } = made.engine.account(account_id)
  for (const name of names) {
    const { id } = await monitors.create({ type: 'scripted', name, host: 'shop.test' })
    await monitors.pause(id)
  }
}

async function namesOf(
  stream: AsyncIterable<{ readonly payload: unknown; readonly missed: number }>,
): Promise<(string | number)[]> {
  const seen: (string | number)[] = []
  for await (const { payload, missed } of stream) {
    if (missed > 0) seen.push(missed)
    seen.push((payload as { monitor: { name: string } }).monitor.name)
  }
  return seen
}

describe('engine.once and engine.off', () => {
  it('hear one event, and none', async () => {
    const heard: string[] = []
    const off = (): unknown => heard.push('off')
    made.engine.once('state', ({ monitor }) => heard.push(monitor.name))
    const cancel = made.engine.once('state', () => heard.push('cancelled'))
    made.engine.on('state', off)
    made.engine.on('state', off)
    made.engine.off('state', off)
    cancel()
    await pauses(['a'])
    expect(heard).toEqual(['a', 'off'])
    made.engine.off('state', off)
    made.engine.off('state', off)
    await pauses(['b'])
    expect(heard).toEqual(['a', 'off'])
  })

  it('refuse unknown events', () => {
    expect(() => made.engine.once('sate' as 'state', () => 1)).toThrow(/did you mean "state"/)
    expect(() => made.engine.off('sate' as 'state', () => 1)).toThrow(ConfigurationError)
  })
})

describe('engine.events', () => {
  it('has the events from the call on, in their order, and ends after the engine', async () => {
    const stream = made.engine.events('state')
    await pauses(['a', 'b', 'c'])
    await made.engine.stop()
    expect(await namesOf(stream)).toEqual(['a', 'b', 'c'])
  })

  it('gives an event to a reader that waits', async () => {
    const stream = made.engine.events('state', 'round')
    const next = stream.next()
    await pauses(['a'])
    expect((await next).value).toMatchObject({
      event: 'state',
      missed: 0,
      payload: { to: 'paused' },
    })
    const last = stream.next()
    await made.engine.stop()
    expect(await last).toEqual({ done: true, value: undefined })
  })

  it('drops the oldest beyond its buffer, and says how many', async () => {
    const stream = made.engine.events('state', { buffer: 2 })
    await pauses(['a', 'b', 'c', 'd', 'e'])
    await made.engine.stop()
    expect(await namesOf(stream)).toEqual([3, 'd', 'e'])
  })

  it('has only the events of an account, if asked', async () => {
    const { id } = await made.engine.accounts.create({ name: 'second' })
    const stream = made.engine.events('state', 'stop', { account: id })
    await pauses(['mine'])
    await pauses(['theirs'], id)
    await made.engine.stop()
    expect(await namesOf(stream)).toEqual(['theirs'])
  })

  it('ends with its signal and drops what is buffered', async () => {
    const aborted = new AbortController()
    const stream = made.engine.events('state', { signal: aborted.signal })
    await pauses(['a'])
    aborted.abort()
    expect(await namesOf(stream)).toEqual([])
    expect(await namesOf(made.engine.events('state', { signal: aborted.signal }))).toEqual([])
  })

  it('ends with break, and takes no event after it', async () => {
    const stream = made.engine.events('state')
    await pauses(['a', 'b'])
    for await (const { payload } of stream) {
      expect(payload.monitor.name).toBe('a')
      break
    }
    expect((await stream.next()).done).toBe(true)
  })

  it.each([
    [[], ConfigurationError],
    [[{}], ConfigurationError],
    [['sate'], 'engine.events: unknown event "sate"; did you mean "state"?'],
    [['state', { accont: 1 }], ConfigurationError],
    [['state', { buffer: 0 }], ConfigurationError],
    [['state', { account: undefined }], NotFoundError],
    [['state', { account: 'all' }], NotFoundError],
  ])('refuses %j', (args, error) => {
    const { engine } = made
    expect(() => (engine.events as (...args: unknown[]) => unknown)(...args)).toThrow(error)
  })
})
