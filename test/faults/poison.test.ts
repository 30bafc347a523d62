/** F14: rows that were damaged in the SQLite file while nobody had it open. One of them never blocks the others. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defineChecker, down, up } from '../../src/checkers/checker.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import type { NotificationView } from '../../src/engine/api/views.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { queryFile } from './rig/tables.ts'

const MINUTE = 60_000

interface Service {
  readonly engine: Engine
  readonly errors: string[]
  stop(): Promise<void>
}

/** One file, one clock and one receiver over any number of lives. */
function lives() {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-poison-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'watchpost.db')
  const clock = simulatedClock()
  const transport = recordingTransport()
  const bad = new Set<string>()
  const checker = (type: string) =>
    defineChecker({
      type,
      title: 'Scripted',
      description: 'Answers as the test says',
      fields: { host: field.host({ description: 'Target' }).required() },
      causes: { broken: { text: 'It is broken' } },
      target: (s) => s.host,
      run: (_ctx, { host }) => Promise.resolve(bad.has(host) ? down('broken', 'It is') : up()),
    })

  async function start(types = ['scripted']): Promise<Service> {
    const engine = createEngine({
      store: sqliteStore({ file, clock }),
      checkers: types.map(checker),
      contacts: [webhookContact({ transport, guard: { allowCidrs: ['127.0.0.1/32'] } })],
      clock,
    }) as Engine
    const errors: string[] = []
    engine.on('error', (error) => void errors.push(String(error)))
    await engine.start()
    const stop = () => engine.stop({ drainMs: 0 })
    onTestFinished(stop)
    return { engine, errors, stop }
  }

  return {
    file,
    clock,
    transport,
    bad,
    start,
    damage: (sql: string) => queryFile(file, (_all, exec) => exec(sql)),
    /** Until the first request has been made, and no further. */
    async firstSent() {
      while (transport.requests.length === 0) await clock.advance(1000)
    },
    sent: () =>
      transport.requests.map(
        ({ url, json }) => `${new URL(url).pathname} ${String(json['event'])}`,
      ),
  }
}

const contact = (engine: Engine, name: string, all_monitors = true) =>
  engine.contacts.create({
    kind: 'webhook',
    name,
    url: `http://127.0.0.1:9/${name}`,
    all_monitors,
  })

const monitor = (engine: Engine, host: string, more: object = {}) =>
  engine.monitors.create({
    type: 'scripted',
    host,
    interval_sec: 60,
    fail_threshold: 1,
    ...more,
  })

const log = async (engine: Engine): Promise<readonly NotificationView[]> =>
  (await engine.notifications.list({})).items

describe('a row of the outbox', () => {
  /** A first life leaves two rows waiting, the second of them good. */
  async function twoWaiting() {
    const all = lives()
    const first = await all.start()
    await contact(first.engine, 'poison')
    await contact(first.engine, 'good')
    await monitor(first.engine, 'a.test')
    all.bad.add('a.test')
    all.transport.answerWith(503, 503)
    await all.firstSent()
    await first.stop()
    return all
  }

  it.each([
    ['is no JSON', `payload = '{"event'`, 'unreadable'],
    ['is JSON but no object', `payload = '[1]'`, 'unreadable'],
  ])(
    'that %s is set aside after at most five tries, and the next one is sent',
    async (_what, damage, error) => {
      const all = await twoWaiting()
      await all.damage(`UPDATE notifications SET ${damage} WHERE contact_id = 1`)
      const { engine } = await all.start()
      await all.clock.advance(20 * MINUTE)
      const rows = await log(engine)
      expect(rows.filter(({ contact_id }) => contact_id === 1)).toMatchObject([
        { status: 'failed', error },
      ])
      expect(rows.filter(({ contact_id }) => contact_id === 2)).toMatchObject([{ status: 'sent' }])
      expect(rows[0]!.attempts.length).toBeLessThanOrEqual(7)
    },
  )

  it('of an event that nobody knows is sent as it is', async () => {
    const all = await twoWaiting()
    await all.damage(
      `UPDATE notifications SET event = 'of_another_version',
       payload = json_set(payload, '$.event', 'of_another_version') WHERE contact_id = 1`,
    )
    await all.start()
    await all.clock.advance(10 * MINUTE)
    expect(all.sent()).toContain('/poison of_another_version')
    const request = all.transport.requests.findLast(({ url }) => url.endsWith('/poison'))
    expect(request?.header('X-Service-Event')).toBe('of_another_version')
  })

  it('whose contact is gone, or of a kind that is no longer there, ends with the reason', async () => {
    const all = await twoWaiting()
    await all.damage('DELETE FROM contacts WHERE id = 1')
    await all.damage(`UPDATE contacts SET kind = 'pigeon' WHERE id = 2`)
    const { engine } = await all.start()
    await all.clock.advance(10 * MINUTE)
    const rows = await log(engine)
    expect(rows.find(({ contact_id }) => contact_id === 1)).toMatchObject({
      status: 'cancelled',
      error: 'contact_deleted',
    })
    expect(rows.find(({ contact_id }) => contact_id === 2)).toMatchObject({
      status: 'failed',
      error: 'unknown_contact_kind',
    })
  })
})

describe('a contact', () => {
  it('that cannot be read is told nothing, and everybody else is told as before', async () => {
    const all = lives()
    const first = await all.start()
    await contact(first.engine, 'poison')
    await contact(first.engine, 'good')
    await monitor(first.engine, 'a.test')
    await first.stop()
    await all.damage(`UPDATE contacts SET settings = '{"url' WHERE id = 1`)
    const { engine, errors } = await all.start()
    all.bad.add('a.test')
    await all.clock.advance(3 * MINUTE)
    expect(all.sent()).toEqual(['/good down'])
    expect(errors.join()).toContain('Unreadable "settings" in row 1')
    expect((await engine.contacts.list()).map(({ id }) => id)).toEqual([2])
  })

  it('that cannot be read when its notification is due uses up five tries, with pauses', async () => {
    const all = lives()
    const first = await all.start()
    await contact(first.engine, 'poison')
    await monitor(first.engine, 'a.test')
    all.bad.add('a.test')
    all.transport.answerWith(503)
    await all.firstSent()
    await first.stop()
    await all.damage(`UPDATE contacts SET settings = '[]' WHERE id = 1`)
    const { engine } = await all.start()
    await all.clock.advance(20 * MINUTE)
    const [row] = await log(engine)
    expect(row).toMatchObject({ status: 'failed', error: 'internal_error' })
    expect(row?.attempts.map(({ error }) => error)).toEqual([
      'http_503',
      ...Array<string>(4).fill('internal_error'),
    ])
  })

  it('that is changed between two attempts is called at its new address from the next one on', async () => {
    const all = lives()
    const { engine } = await all.start()
    const { id } = await contact(engine, 'old')
    await monitor(engine, 'a.test')
    all.bad.add('a.test')
    all.transport.answerWith(503, 503)
    await all.firstSent()
    await engine.contacts.update(id, { url: 'http://127.0.0.1:9/new' })
    await all.clock.advance(3 * MINUTE)
    expect(all.sent()).toEqual(['/old down', '/new down', '/new down'])
    const bodies = all.transport.requests.map(({ body }) => Buffer.from(body).toString('utf8'))
    expect(new Set(bodies).size).toBe(1)
  })

  it('that is deleted between two attempts is not called again', async () => {
    const all = lives()
    const { engine } = await all.start()
    const { id } = await contact(engine, 'old')
    await monitor(engine, 'a.test')
    all.bad.add('a.test')
    all.transport.answerWith(503)
    await all.firstSent()
    await engine.contacts.remove(id)
    await all.clock.advance(10 * MINUTE)
    expect(all.sent()).toEqual(['/old down'])
    expect(await log(engine)).toMatchObject([{ status: 'cancelled' }])
  })
})

describe('a monitor', () => {
  it('that is deleted between two attempts is not told of again', async () => {
    const all = lives()
    const { engine } = await all.start()
    await contact(engine, 'good')
    const { id } = await monitor(engine, 'a.test')
    all.bad.add('a.test')
    all.transport.answerWith(503)
    await all.firstSent()
    await engine.monitors.remove(id)
    await all.clock.advance(10 * MINUTE)
    // A receiver that failed may have noted it before: it learns the end.
    expect(all.sent()).toEqual(['/good down', '/good up'])
    expect(await log(engine)).toMatchObject([
      { event: 'up', status: 'sent' },
      { event: 'down', status: 'cancelled', error: 'monitor_deleted' },
    ])
  })

  it.each([
    ['whose state is no JSON', 'monitor_states', `machine = '{"state'`],
    ['whose state is none', 'monitor_states', `machine = 'null'`],
    ['whose state nobody knows', 'monitor_states', `machine = '{"state":"dancing"}'`],
    ['whose settings are no JSON', 'monitors', `settings = ''`],
    ['whose common settings are no object', 'monitors', `common = '7'`],
  ])(
    '%s is set aside and complained of, and the others are watched',
    async (_what, table, damage) => {
      const all = lives()
      const first = await all.start()
      await contact(first.engine, 'good')
      const poison = await monitor(first.engine, 'poison.test')
      const good = await monitor(first.engine, 'good.test')
      await all.clock.advance(2 * MINUTE)
      await first.stop()
      const id = table === 'monitors' ? 'id' : 'monitor_id'
      await all.damage(`UPDATE ${table} SET ${damage} WHERE ${id} = ${poison.id}`)
      const { engine } = await all.start()
      all.bad.add('good.test')
      await all.clock.advance(3 * MINUTE)
      expect(all.sent()).toEqual(['/good down'])
      expect((await engine.monitors.list()).items.map(({ id }) => id)).toEqual([good.id])
      await expect(engine.monitors.get(poison.id)).rejects.toMatchObject({
        code: 'storage',
        message: expect.stringMatching(
          new RegExp(`^Unreadable "\\w+" in row ${poison.id}$`),
        ) as string,
      })
    },
  )

  it.each([
    ['a location', `UPDATE location_states SET last = '{'`],
    ['the newest result', `UPDATE results SET details = '{'`],
  ])('of which %s cannot be read is watched all the same', async (_what, damage) => {
    const all = lives()
    const first = await all.start()
    await contact(first.engine, 'good')
    await monitor(first.engine, 'a.test')
    await all.clock.advance(2 * MINUTE)
    await first.stop()
    await all.damage(damage)
    await all.start()
    all.bad.add('a.test')
    await all.clock.advance(3 * MINUTE)
    expect(all.sent()).toEqual(['/good down'])
  })

  it('of a type that is no longer there is not shown, and comes back with its type', async () => {
    const all = lives()
    const first = await all.start(['scripted', 'gone'])
    await monitor(first.engine, 'a.test', { type: 'gone' })
    const { id } = await monitor(first.engine, 'b.test')
    await first.stop()
    const second = await all.start()
    expect((await second.engine.monitors.list()).items.map((one) => one.id)).toEqual([id])
    await all.clock.advance(2 * MINUTE)
    expect((await second.engine.monitors.get(id)).state).toBe('up')
    await second.stop()
    const third = await all.start(['scripted', 'gone'])
    expect((await third.engine.monitors.list()).items).toHaveLength(2)
  })
})
