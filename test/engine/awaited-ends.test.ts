/** Test deliveries whose callers wait for their end, which may come from elsewhere. */
import { describe, expect, it } from 'vitest'
import { createAwaitedEnds } from '../../src/engine/delivery/awaited-ends.ts'
import type { NotificationRecord } from '../../src/model.ts'
import { claim } from '../../src/testing/store-suite/case.ts'
import { NOON } from './cached-monitor.ts'
import { outboxRig } from './outbox-rig.ts'

/** A row whose end is waited for, with what the caller was told. */
async function waiting() {
  const rig = await outboxRig()
  const awaited = createAwaitedEnds(rig.core)
  const told: unknown[] = []
  const wait = (id: number): void =>
    void awaited.of(id).then(
      ({ id, status, error }) => told.push([id, status, error]),
      (error: { readonly code: string }) => told.push(error.code),
    )
  const { id } = await rig.queue()
  wait(id)
  return { ...rig, rig, awaited, wait, told, id }
}

/** As another process records it. */
async function endElsewhere({ store }: Awaited<ReturnType<typeof waiting>>, error = 'http_500') {
  const [row] = await claim(store, { now: NOON })
  const { id = 0, claims = 0 } = row ?? {}
  const end = { status: 'failed', attempts: 1, interruptions: 0, error } as const
  await store.notifications.finish({ id, claim: claims, at: NOON, ...end })
}

describe('the end of a delivery', () => {
  it('is told at once where it comes from here, and nobody asks the store any more', async () => {
    const { awaited, told, id, clock, store } = await waiting()
    const record = (await store.notifications.get(id)) as NotificationRecord
    expect([awaited.has(id), awaited.has(id + 1)]).toEqual([true, false])
    awaited.resolve({ ...record, status: 'sent' })
    await clock.settle()
    expect(told).toEqual([[id, 'sent', null]])
    expect(awaited.has(id)).toBe(false)
    await clock.advance(1000)
    expect(clock.pending).toBe(0)
  })

  it('of a row that nobody waits for is nothing', async () => {
    const { awaited, told, id, clock } = await waiting()
    awaited.resolve({ id: id + 1, status: 'sent' } as NotificationRecord)
    await clock.settle()
    expect(told).toEqual([])
  })

  it('is found within a second where it comes from elsewhere', async () => {
    const all = await waiting()
    const { clock, told, id, foreground } = all
    await clock.advance(2500)
    expect(told).toEqual([])
    await endElsewhere(all)
    await clock.advance(499)
    expect(told).toEqual([])
    await clock.advance(1)
    expect(told).toEqual([[id, 'failed', 'http_500']])
    expect([clock.pending, foreground]).toEqual([0, []])
  })

  it('is not one while another process sends it', async () => {
    const { clock, told, store } = await waiting()
    await claim(store, { now: NOON })
    await clock.advance(5000)
    expect(told).toEqual([])
  })

  it('is told to each that waits, one timer for all', async () => {
    const all = await waiting()
    const { clock, told, wait, queue, id } = all
    await clock.advance(400)
    const second = await queue({ contact_id: 2 })
    wait(second.id)
    expect(clock.pending).toBe(1)
    await endElsewhere(all)
    await clock.advance(600)
    expect(told).toEqual([[id, 'failed', 'http_500']])
    expect(clock.pending).toBe(1)
  })

  it('is not_found where the row is gone', async () => {
    const { clock, told, wait, awaited } = await waiting()
    wait(77)
    const another = expect(awaited.of(78)).rejects.toThrow('notification')
    await clock.advance(1000)
    expect(told).toEqual(['not_found'])
    await another
  })

  it.each([
    ['was removed', undefined],
    ['has failed elsewhere', { id: 1, status: 'failed', error: 'http_500' }],
  ])('is told once where it comes from here while the store says that it %s', async (_, found) => {
    const { awaited, clock, told, logged, store } = await waiting()
    Object.assign(store.notifications, {
      get: (id: number) => {
        awaited.resolve({ id, status: 'sent', error: null } as NotificationRecord)
        return Promise.resolve(found)
      },
    })
    await clock.advance(1000)
    expect([told, logged]).toEqual([[[1, 'sent', null]], []])
  })

  it('is looked for again where the store fails', async () => {
    const all = await waiting()
    const { rig, clock, told, logged, id } = all
    await endElsewhere(all)
    rig.trouble = true
    await clock.advance(2000)
    expect(logged).toEqual(
      Array.from(
        { length: 2 },
        () => 'warn: the end of a test delivery could not be looked up yet: the disk is full',
      ),
    )
    rig.trouble = false
    await clock.advance(1000)
    expect(told).toEqual([[id, 'failed', 'http_500']])
  })
})

describe('an engine that stops', () => {
  it('has nobody to tell where nobody waits', async () => {
    const { core } = await outboxRig()
    expect(() => createAwaitedEnds(core).stop()).not.toThrow()
  })

  it('tells everybody, now and later, and leaves no timer behind', async () => {
    const { awaited, clock, told, wait, id } = await waiting()
    wait(id + 1)
    awaited.stop()
    await clock.settle()
    expect(told).toEqual(['stopped', 'stopped'])
    wait(id)
    await clock.settle()
    expect(told).toEqual(['stopped', 'stopped', 'stopped'])
    expect([clock.pending, awaited.has(id)]).toEqual([0, false])
    await expect(awaited.of(id)).rejects.toThrow('The engine stops')
  })
})
