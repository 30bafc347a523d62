/** Alerts that are held back: for a heartbeat, which is judged by signals and deadlines, no further round comes by itself. */
import { describe, expect, it } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

const MINUTE = 60_000

async function rigWithContact(): Promise<Rig> {
  const r = await rig({ checkers: [heartbeat()] as never })
  await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', all_monitors: true })
  return r
}

const told = (r: Rig) =>
  r.told.map(({ event, body }) => `${event} ${(body['monitor'] as { name: string }).name}`)

/** A job that runs every ten minutes, with one signal, behind a router. */
async function job(settings: object = {}) {
  const r = await rigWithContact()
  const router = await r.engine.monitors.create({
    ...{ type: 'scripted', name: 'router', host: 'router.test', fail_threshold: 1 },
  })
  const { id, token } = await r.engine.monitors.create({
    ...{ type: 'heartbeat', name: 'job', interval_sec: 600, grace_sec: 60 },
    ...{ depends_on: [router.id], ...settings },
  })
  const signal = (kind: 'success' | 'fail' = 'success') =>
    r.engine.signal(token as string, { kind })
  await r.clock.advance(MINUTE)
  await signal()
  return { r, signal, id, router: router.id }
}

describe('a heartbeat that depends on another monitor', () => {
  it('is told when the other one is up: it is looked at, and then the silence is told', async () => {
    const { r, id } = await job()
    await r.clock.advance(15 * MINUTE)
    expect(told(r)).toEqual(['down job'])
    const { items } = await r.engine.incidents.list({ monitor_id: id, open: true })
    expect(r.told[0]!.at - Date.parse(items[0]!.started_at)).toBeLessThan(5_000)
    await r.engine.stop()
  })

  it('is told of a failure that the job reports', async () => {
    const { r, signal } = await job()
    await r.clock.advance(MINUTE / 2)
    await signal('fail')
    await r.clock.advance(MINUTE)
    expect(told(r)).toEqual(['down job'])
    await signal()
    await r.clock.advance(MINUTE)
    expect(told(r)).toEqual(['down job', 'up job'])
    await r.engine.stop()
  })

  it('is silent while the other one is down, and told once that is up again', async () => {
    const { r, signal } = await job()
    r.say('router.test', 'fail')
    await r.clock.advance(30 * MINUTE)
    expect(told(r)).toEqual(['down router'])
    r.say('router.test', 'ok')
    await r.clock.advance(2 * MINUTE)
    expect(told(r)).toEqual(['down router', 'up router', 'down job'])
    await signal()
    await r.clock.advance(MINUTE)
    expect(told(r).at(-1)).toBe('up job')
    await r.engine.stop()
  })

  it.each<[string, (of: Awaited<ReturnType<typeof job>>) => Promise<unknown>]>([
    ['paused', ({ r, router }) => r.engine.monitors.pause(router)],
    ['gone', ({ r, router }) => r.engine.monitors.remove(router)],
    ['no longer its parent', ({ r, id }) => r.engine.monitors.update(id, { depends_on: [] })],
  ])('is told within five minutes after the other one is %s', async (_what, happens) => {
    const one = await job()
    one.r.say('router.test', 'fail')
    await one.r.clock.advance(30 * MINUTE)
    await happens(one)
    await one.r.clock.advance(5 * MINUTE + 1000)
    expect(told(one.r).at(-1)).toBe('down job')
    await one.r.engine.stop()
  })

  it('is told though nobody can look at the other one', async () => {
    const { r } = await job()
    r.say('router.test', 'unknown')
    await r.clock.advance(30 * MINUTE)
    expect(told(r)).toEqual(['down job'])
    await r.engine.stop()
  })
})

describe('flapping', () => {
  it('of a heartbeat ends when the job stays away, and the outage is told', async () => {
    const { r, signal, id } = await job({ flap_detection: true, depends_on: [] })
    for (let outage = 0; outage < 6; outage++) {
      await signal('fail')
      await r.clock.advance(MINUTE)
      await signal()
      await r.clock.advance(MINUTE)
    }
    expect((await r.engine.monitors.get(id)).flapping).toBe(true)
    const from = r.told.length
    await r.clock.advance(25 * 10 * MINUTE)
    expect(told(r).slice(from).toSorted()).toEqual(['down job', 'flapping job'])
    await r.engine.stop()
  })

  it('ends when it is no longer looked for, and keeps no outage back', async () => {
    const r = await rigWithContact()
    const { id } = await r.engine.monitors.create({
      ...{ type: 'scripted', name: 'shop', host: 'shop.test', fail_threshold: 1 },
      flap_detection: true,
    })
    await r.clock.advance(MINUTE)
    for (let outage = 0; outage < 6; outage++) {
      r.say('shop.test', 'fail')
      await r.clock.advance(MINUTE)
      r.say('shop.test', 'ok')
      await r.clock.advance(2 * MINUTE)
    }
    expect((await r.engine.monitors.get(id)).flapping).toBe(true)
    const from = r.told.length
    r.say('shop.test', 'fail')
    await r.clock.advance(MINUTE)
    await r.engine.monitors.update(id, { flap_detection: false })
    await r.clock.advance(2 * MINUTE)
    expect(told(r).slice(from).toSorted()).toEqual(['down shop', 'flapping shop'])
    expect((await r.engine.monitors.get(id)).flapping).toBe(false)
    await r.engine.stop()
  })
})
