import { describe, expect, it } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { StorageError } from '../../src/errors.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { FullStore } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { rig } from './rig.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A store that can be made to refuse every commit, as on a full disk. */
function fallible() {
  const store = memoryStore()
  const state = { broken: false, commits: 0 }
  const commit: FullStore['commit'] = (changes) => {
    state.commits++
    return state.broken
      ? Promise.reject(new StorageError('The disk is full'))
      : store.commit(changes)
  }
  return { state, store: { ...store, commit } }
}

async function trouble() {
  const { state, store } = fallible()
  const r = await rig({ checkers: [heartbeat()] as never }, { store, clock: simulatedClock() })
  const errors: unknown[] = []
  r.engine.on('error', (error) => errors.push(error))
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  const monitor = async (host: string, settings: object = {}) =>
    (await r.engine.monitors.create({ type: 'scripted', name: host, host, ...settings })).id
  const events = () => r.told.map(({ event }) => event)
  return { r, state, errors, monitor, events }
}

describe('a round that cannot be stored', () => {
  it('is stored as soon as the store works again, however long the interval, dated as it was', async () => {
    const { r, state, monitor, events, errors } = await trouble()
    const id = await monitor('a', { interval_sec: 86_400, fail_threshold: 1 })
    r.say('a', 'fail')
    state.broken = true
    const from = r.clock.now()
    await r.clock.advance(HOUR)
    expect(r.checks).toHaveLength(1)
    expect(errors.length).toBeGreaterThan(0)
    expect((await r.engine.monitors.status(id)).state).toBe('pending')
    expect(events()).toEqual([])

    state.broken = false
    await r.clock.advance(10_000)
    expect(events()).toEqual(['down'])
    expect(r.checks).toHaveLength(1)
    const [incident] = (await r.engine.incidents.list()).items
    expect(Date.parse(incident?.started_at ?? '') - from).toBeLessThan(MINUTE)
  })

  it('leaves its monitor up, and stale after two intervals, until one is stored', async () => {
    const { r, state, monitor } = await trouble()
    const id = await monitor('a', { interval_sec: 60 })
    const other = await monitor('b', { interval_sec: 3600 })
    await r.clock.advance(3 * MINUTE)
    const stale = async () => {
      const { items } = await r.engine.monitors.list()
      expect(items.map((each) => each.state)).toEqual(['up', 'up'])
      const shown = items.filter((each) => each.stale).map((each) => each.id)
      expect((await r.engine.health()).stale).toBe(shown.length)
      return shown
    }
    state.broken = true
    await r.clock.advance(MINUTE)
    expect(await stale()).toEqual([])
    await r.clock.advance(2 * MINUTE)
    expect(await stale()).toEqual([id])
    await r.clock.advance(3 * HOUR)
    expect(await stale()).toEqual([id, other])
    state.broken = false
    await r.clock.advance(10_000)
    expect(await stale()).toEqual([])
  })

  it('is not counted twice where it was stored and only the answer was lost; what it tells is told', async () => {
    const inner = memoryStore()
    let lost = 0
    const commit: FullStore['commit'] = async (changes) => {
      const answers = await inner.commit(changes)
      if (lost-- > 0) throw new StorageError('The connection was lost')
      return answers
    }
    const r = await rig({}, { store: { ...inner, commit }, clock: simulatedClock() })
    await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    const input = { type: 'scripted', name: 'a', host: 'a', interval_sec: 600 }
    const { id } = await r.engine.monitors.create(input)
    await r.clock.advance(15_000)
    r.say('a', 'fail')
    lost = 1
    await expect(r.engine.monitors.check(id)).rejects.toThrow(StorageError)
    await r.clock.advance(20_000)
    expect((await r.engine.monitors.status(id)).state).toBe('confirming')
    expect(r.told).toEqual([])

    lost = 1
    await expect(r.engine.monitors.check(id)).rejects.toThrow(StorageError)
    await r.clock.advance(60_000)
    expect(r.told.map(({ event }) => event)).toEqual(['down'])
    expect((await r.engine.results.list(id)).items.map(({ verdict }) => verdict)).toEqual([
      'fail',
      'fail',
      'ok',
    ])
  })

  it('keeps its monitor watched, also where the store then fails to say what it holds', async () => {
    const inner = memoryStore()
    const fails = { commit: 0, get: 0 }
    const broken = () => new StorageError('The connection was lost')
    const store: FullStore = {
      ...inner,
      async commit(changes) {
        const answers = await inner.commit(changes)
        if (fails.commit-- > 0) throw broken()
        return answers
      },
      monitors: {
        ...inner.monitors,
        get: (id) => (fails.get-- > 0 ? Promise.reject(broken()) : inner.monitors.get(id)),
      },
    }
    const r = await rig({}, { store, clock: simulatedClock() })
    await r.engine.monitors.create({ type: 'scripted', name: 'a', host: 'a', interval_sec: 60 })
    await r.clock.advance(15_000)
    fails.commit = 1
    fails.get = 30
    await r.clock.advance(5 * MINUTE)
    const before = r.checks.length
    await r.clock.advance(HOUR)
    expect(r.checks.length - before).toBeGreaterThanOrEqual(59)
  })

  it('makes room for the next one of its monitor', async () => {
    const { r, state, monitor, events } = await trouble()
    const id = await monitor('a', { interval_sec: 60, fail_threshold: 1 })
    await r.clock.advance(5 * MINUTE)
    state.broken = true
    r.say('a', 'fail')
    await r.clock.advance(5 * MINUTE)
    r.say('a', 'ok')
    await r.clock.advance(2 * MINUTE)
    state.broken = false
    await r.clock.advance(5 * MINUTE)
    // What the failing rounds saw is over, and was never known to anybody.
    expect(events()).toEqual([])
    const rounds = (await r.engine.results.list(id, { order: 'asc' })).items
    expect(new Set(rounds.map(({ verdict }) => verdict))).toEqual(new Set(['ok']))
  })

  it('fails a check that somebody waits for at once, and the next check is a new one', async () => {
    const { r, state, monitor } = await trouble()
    const id = await monitor('a', { interval_sec: 86_400 })
    await r.clock.advance(MINUTE)
    state.broken = true
    const refused = expect(r.engine.monitors.check(id)).rejects.toMatchObject({ code: 'storage' })
    await r.clock.settle()
    await refused
    state.broken = false
    const checks = r.checks.length
    const checked = r.engine.monitors.check(id)
    await r.clock.settle()
    expect((await checked).results).toMatchObject([{ verdict: 'ok' }])
    expect(r.checks).toHaveLength(checks + 1)
    await r.clock.advance(HOUR)
    expect((await r.engine.results.list(id)).items).toHaveLength(2)
  })

  it('among hundreds asks the store again once every few seconds, not hundreds of times', async () => {
    const { r, state, monitor, events } = await trouble()
    for (let n = 0; n < 200; n++)
      await monitor(`n${n}`, { interval_sec: 86_400, fail_threshold: 1 })
    for (let n = 0; n < 200; n++) r.say(`n${n}`, 'fail')
    state.broken = true
    await r.clock.advance(MINUTE)
    const commits = state.commits
    await r.clock.advance(10 * MINUTE)
    expect(state.commits - commits).toBeLessThan(200)
    state.broken = false
    await r.clock.advance(10_000)
    expect(events()).toHaveLength(200)
  })

  it('of a monitor that was paused or removed meanwhile is forgotten', async () => {
    const { r, state, monitor, events } = await trouble()
    const [paused, removed] = [await monitor('a'), await monitor('b')]
    r.say('a', 'fail')
    r.say('b', 'fail')
    state.broken = true
    await r.clock.advance(15_000)
    expect(r.checks).toHaveLength(2)
    state.broken = false
    await r.engine.monitors.pause(paused)
    await r.engine.monitors.remove(removed)
    await r.clock.advance(HOUR)
    expect(events()).toEqual([])
    expect((await r.engine.results.list(paused)).items).toEqual([])
  })
})

describe('a silence that cannot be stored', () => {
  it('is judged again every few seconds, not in a circle, and told once the store works', async () => {
    const { r, state, events } = await trouble()
    const monitor = await r.engine.monitors.create({
      type: 'heartbeat',
      name: 'Backup',
      interval_sec: 3600,
      grace_sec: 60,
    })
    await r.engine.signal(monitor.token as string, { kind: 'success' })
    state.broken = true
    const commits = state.commits
    await r.clock.advance(2 * HOUR)
    expect(state.commits - commits).toBeLessThan(2000)
    state.broken = false
    await r.clock.advance(10_000)
    expect(events()).toEqual(['down'])
  })
})

describe('a claim', () => {
  it('that the store answers too late is given back, not sent: another process may have it by then', async () => {
    const clock = simulatedClock()
    const inner = memoryStore({ clock })
    let slow_ms = 20_000
    const claim: FullStore['notifications']['claim'] = async (options) => {
      const rows = await inner.notifications.claim(options)
      if (rows.length > 0) await clock.sleep(slow_ms)
      return rows
    }
    const store = { ...inner, notifications: { ...inner.notifications, claim } }
    const r = await rig({}, { store, clock })
    await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
    r.say('a', 'fail')
    await r.engine.monitors.create({ type: 'scripted', name: 'a', host: 'a', fail_threshold: 1 })
    await clock.advance(35_000)
    expect(r.told).toEqual([])

    slow_ms = 0
    await clock.advance(30_000)
    expect(r.told.map(({ event }) => event)).toEqual(['down'])
    const { items } = await r.engine.notifications.list()
    expect(items).toMatchObject([{ event: 'down', status: 'sent' }])
    expect(items[0]?.attempts.map(({ error }) => error)).toEqual(['lease_over', 'lease_over', null])
  })
})

describe('an event whose incident cannot be read', () => {
  it('is told as an error; the change that it is about was made, and the caller hears so', async () => {
    const inner = memoryStore()
    const state = { blind: false }
    const commit: FullStore['commit'] = async (changes) => {
      const committed = await inner.commit(changes)
      state.blind = changes.some(({ update_incident }) => update_incident !== undefined)
      return committed
    }
    const get: FullStore['incidents']['get'] = (id) =>
      state.blind ? Promise.reject(new StorageError('No connection')) : inner.incidents.get(id)
    const store = { ...inner, commit, incidents: { ...inner.incidents, get } }
    const r = await rig({}, { store, clock: simulatedClock() })
    const errors: unknown[] = []
    r.engine.on('error', (error) => errors.push(error))
    r.engine.on('up', () => undefined)
    const input = { type: 'scripted', name: 'a', host: 'a', fail_threshold: 1 }
    const { id } = await r.engine.monitors.create(input)
    r.say('a', 'fail')
    await r.engine.monitors.check(id)
    expect(await r.engine.monitors.pause(id)).toMatchObject({ state: 'paused' })
    expect(errors).toEqual([expect.any(StorageError)])
  })
})
