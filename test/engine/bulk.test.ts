/** Actions on many monitors at once. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { BulkInput } from '../../src/engine/api/bulk.ts'
import { ValidationError } from '../../src/errors.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { leastOf, measureTurns } from '../support/turns.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

async function four(options: Parameters<typeof rig>[0] = {}): Promise<Rig> {
  const made = await rig(options)
  onTestFinished(() => made.engine.stop())
  for (const [name, tags] of [
    ['One', ['web']],
    ['Two', ['web', 'eu']],
    ['Three', ['db']],
    ['Four', []],
  ] as const)
    await made.engine.monitors.create({
      type: 'scripted',
      name,
      host: `${name.toLowerCase()}.test`,
      tags: [...tags],
      interval_sec: 3600,
    })
  return made
}

async function statesOf({ engine }: Rig): Promise<readonly string[]> {
  return (await engine.monitors.list()).items.map(({ state }) => state)
}

const none = { failed: 0, failures: [], next: null }

describe('several bulk actions of one account', () => {
  it.each([70, 5])('end with their account and write nothing behind it: %i', async (count) => {
    const { engine, store } = await rig()
    onTestFinished(() => engine.stop())
    const { id } = await engine.accounts.create({ name: 'gone' })
    const { monitors } = engine.account(id)
    const monitor = { type: 'scripted', name: 'm', host: 'm.test', interval_sec: 3600 }
    for (let n = 0; n < count; n++) await monitors.create(monitor)
    const all = { all: true } as const
    const asked = [
      monitors.bulk({ action: 'pause', filter: all }),
      monitors.bulk({ action: 'tag', filter: all, add_tags: ['late'] }),
      monitors.bulk({ action: 'check', filter: all, dry_run: true }),
    ]
    const written: unknown[] = []
    engine.on('audit', ({ action }) => written.push(action))
    await engine.accounts.remove(id)
    const before = written.length
    const ends = await Promise.allSettled(asked)
    expect(ends).toEqual(
      asked.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ message: 'There is no such account' }) as unknown,
      })),
    )
    expect(written.slice(before)).toEqual([])
    expect(await store.auditLog.list({ account_id: 'all', limit: 500 })).not.toContainEqual(
      expect.objectContaining({ account_id: id }),
    )
    expect([...engine.readings()]).toEqual([])
  })

  it('are carried out one after the other, ten at most, and keep no other account waiting', async () => {
    const { engine } = await rig()
    onTestFinished(() => engine.stop())
    const other = engine.account((await engine.accounts.create({ name: 'other' })).id)
    const monitor = { type: 'scripted', name: 'm', host: 'm.test', interval_sec: 3600 }
    for (let n = 0; n < 70; n++) await engine.monitors.create(monitor)
    await other.monitors.create(monitor)
    const order: string[] = []
    engine.on('audit', ({ account_id, changes }) => {
      const tags = changes[0]?.to as readonly string[] | undefined
      order.push(account_id === 1 ? String(tags?.at(-1)) : 'other')
    })
    const tag = (n: number) =>
      engine.monitors.bulk({ action: 'tag', filter: { all: true }, add_tags: [`t${n}`] })
    const asked = Array.from({ length: 11 }, (_, n) => tag(n))
    const theirs = other.monitors.bulk({ action: 'pause', filter: { all: true } })
    const ends = await Promise.allSettled(asked)
    expect(ends.map(({ status }) => status)).toEqual([...Array(10).fill('fulfilled'), 'rejected'])
    expect(ends[10]).toMatchObject({ reason: { name: 'ConflictError', code: 'busy' } })
    expect(await theirs).toMatchObject({ changed: 1 })
    expect(order.indexOf('other')).toBeLessThan(70)
    const own = order.filter((each) => each !== 'other')
    expect(own).toEqual(Array.from({ length: 700 }, (_, n) => `t${Math.floor(n / 70)}`))
    expect(await tag(11)).toMatchObject({ changed: 70 })
  })
})

describe('a bulk action on behalf of somebody', () => {
  it('ends where its right does, and the next one goes on', async () => {
    const { engine } = await rig()
    onTestFinished(() => engine.stop())
    const monitor = { type: 'scripted', name: 'm', host: 'm.test', interval_sec: 3600 }
    for (let n = 0; n < 70; n++) await engine.monitors.create(monitor)
    const all = { filter: { all: true } } as const
    const revoked = new Error('revoked')
    let asked = 0
    const permitted = () => (++asked < 3 ? Promise.resolve() : Promise.reject(revoked))
    const ended = engine.monitors.bulk({ action: 'pause', ...all }, { permitted })
    const refused = engine.monitors.bulk({ action: 'remove', ...all }, { permitted })
    const next = engine.monitors.bulk({ action: 'tag', add_tags: ['t'], ...all })
    await expect(ended).rejects.toBe(revoked)
    await expect(refused).rejects.toBe(revoked)
    expect(await next).toMatchObject({ matched: 70, changed: 70 })
    const { items } = await engine.monitors.list({ status: ['paused'], limit: 100 })
    expect(items).toHaveLength(64)
  })

  it.each([
    [{ permitted: true }, { permitted: 'invalid: a function is expected' }],
    [{ allowed: 1 }, { allowed: expect.stringMatching(/^unknown_field/) }],
  ])('refuses the options %j', async (options, fields) => {
    const { engine } = await rig()
    onTestFinished(() => engine.stop())
    const asking = engine.monitors.bulk(
      { action: 'pause', filter: { all: true } },
      options as never,
    )
    await expect(asking).rejects.toMatchObject({ fields })
  })
})

describe('bulk', () => {
  it('pauses and resumes what the filter of the list matches', async () => {
    const made = await four()
    const { monitors } = made.engine
    const web = { filter: { tag: [['web']] } }
    const paused = { matched: 2, changed: 2, unchanged: 0, ...none }
    expect(await monitors.bulk({ action: 'pause', ...web })).toEqual(paused)
    expect(await statesOf(made)).toEqual(['paused', 'paused', 'pending', 'pending'])
    const again = { matched: 3, changed: 1, unchanged: 2, ...none }
    expect(await monitors.bulk({ action: 'pause', filter: { ids: [3, 1, 2, 3] } })).toEqual(again)
    expect(await monitors.bulk({ action: 'resume', filter: { status: ['paused'] } })).toEqual({
      ...paused,
      matched: 3,
      changed: 3,
    })
    expect(await statesOf(made)).toEqual(['pending', 'pending', 'pending', 'pending'])
  })

  it('adds and removes tags without regard to case, under a new version', async () => {
    const { engine } = await four()
    await engine.monitors.update(1, { tags: ['web', 'caf\u00e9'] })
    const input = {
      action: 'tag',
      add_tags: ['EU', 'new', 'NEW'],
      remove_tags: ['WEB', 'CAFE\u0301'],
    } as const
    expect(await engine.monitors.bulk({ ...input, filter: { q: 'o' } })).toMatchObject({
      matched: 3,
      changed: 3,
    })
    const { items } = await engine.monitors.list()
    expect(items.map(({ tags, version }) => [tags, version])).toEqual([
      [['EU', 'new'], 3],
      [['eu', 'new'], 2],
      [['db'], 1],
      [['EU', 'new'], 2],
    ])
    expect(await engine.monitors.bulk({ ...input, filter: { q: 'o' } })).toMatchObject({
      matched: 3,
      unchanged: 3,
    })
  })

  it('stores the tags of monitors that wait for no other together', async () => {
    const inner = memoryStore()
    let commits = 0
    const commit: typeof inner.commit = (changes) => {
      commits++
      return inner.commit(changes)
    }
    const { engine } = await rig({}, { store: { ...inner, commit } })
    onTestFinished(() => engine.stop())
    const made = { type: 'scripted', name: 'm', host: 'm.test', interval_sec: 3600 }
    for (let n = 0; n < 64; n++) await engine.monitors.create(made)
    commits = 0
    const tagging = { action: 'tag', filter: { all: true }, add_tags: ['late'] } as const
    expect(await engine.monitors.bulk(tagging)).toMatchObject({ changed: 64 })
    expect(commits).toBeLessThan(64)
  })

  it('checks those that are not paused, and removes', async () => {
    const made = await four()
    const { engine, clock, checks } = made
    await clock.advance(60_000)
    await engine.monitors.pause(4)
    checks.length = 0
    expect(await engine.monitors.bulk({ action: 'check', filter: { all: true } })).toMatchObject({
      matched: 4,
      changed: 3,
      unchanged: 1,
    })
    await clock.advance(1000)
    expect(checks.map((check) => check.split('.')[0])).toEqual(['one', 'two', 'three'])
    const removed = await engine.monitors.bulk({ action: 'remove', filter: { type: ['scripted'] } })
    expect(removed).toMatchObject({ matched: 4, changed: 4 })
    expect((await engine.monitors.list()).items).toEqual([])
  })

  it('refuses a check where the engine does not run', async () => {
    const { engine } = await four()
    await engine.stop()
    await expect(engine.monitors.bulk({ action: 'check', filter: { all: true } })).rejects.toThrow()
  })

  it('counts with dry_run and changes nothing', async () => {
    const made = await four()
    const input = { action: 'remove', dry_run: true } as const
    const { monitors } = made.engine
    expect(await monitors.bulk({ ...input, filter: { tag: ['db', ['db']] } })).toEqual({
      matched: 1,
      changed: 0,
      unchanged: 0,
      ...none,
    })
    expect(await monitors.bulk({ ...input, filter: { ids: [1, 99] } })).toMatchObject({
      matched: 2,
      failed: 1,
    })
    expect(await statesOf(made)).toHaveLength(4)
  })

  it('goes on after a refusal, and tells the first ones', async () => {
    const made = await four()
    const { monitors } = made.engine
    const ids = [1, 2, ...Array.from({ length: 30 }, (_, n) => 100 + n)]
    const answer = await monitors.bulk({ action: 'pause', filter: { ids } })
    expect(answer).toMatchObject({ matched: 32, changed: 2, failed: 30 })
    expect(answer.failures).toHaveLength(20)
    expect(answer.failures[0]).toMatchObject({ monitor_id: 100, error: 'not_found' })
    const tags = Array.from({ length: 50 }, (_, n) => `t${n}`)
    const tagging = { action: 'tag', add_tags: tags, filter: { ids: [3, 4] } } as const
    expect(await monitors.bulk(tagging)).toMatchObject({
      changed: 1,
      failures: [{ monitor_id: 3, error: 'validation' }],
    })
  })

  it('resumes no more than the quota allows', async () => {
    const { engine } = await four()
    await engine.monitors.bulk({ action: 'pause', filter: { all: true } })
    await engine.accounts.update(1, { quotas: { checks_per_min: 0.04 } })
    const answer = await engine.monitors.bulk({ action: 'resume', filter: { all: true } })
    expect(answer).toMatchObject({ matched: 4, changed: 2, failed: 2 })
    expect(answer.failures.map(({ error }) => error)).toEqual(['quota', 'quota'])
  })

  it('continues where the call before ended', async () => {
    const made = await four()
    const input: BulkInput = { action: 'pause', filter: { all: true }, limit: 3 }
    const first = await made.engine.monitors.bulk(input)
    expect(first).toMatchObject({ matched: 3, next: 3 })
    const second = await made.engine.monitors.bulk({ ...input, after: 3 })
    expect(second).toMatchObject({ matched: 1, next: null })
  })

  it('stays within the account', async () => {
    const { engine } = await four()
    const { id } = await engine.accounts.create({ name: 'other' })
    const other = engine.account(id).monitors
    expect(await other.bulk({ action: 'remove', filter: { all: true } })).toMatchObject({
      matched: 0,
    })
    expect(await other.bulk({ action: 'remove', filter: { ids: [1] } })).toMatchObject({
      failures: [{ monitor_id: 1, error: 'not_found' }],
    })
    expect((await engine.monitors.list()).items).toHaveLength(4)
  })

  it.each([
    [{ action: 'pause' }, { filter: 'required' }],
    [{ filter: { all: true } }, { action: 'required' }],
    [{ action: 'pause', filter: {} }, { filter: 'required: a filter, ids, or all: true' }],
    [
      { action: 'pause', filter: { tag: undefined } },
      { filter: 'required: a filter, ids, or all: true' },
    ],
    [{ action: 'pause', filter: { tag: [] } }, { filter: 'invalid: "tag": it is empty' }],
    [{ action: 'pause', filter: { tag: [[]] } }, { filter: 'invalid: "tag": it is empty' }],
    [{ action: 'pause', filter: { q: '' } }, { filter: 'invalid: "q": it is empty' }],
    [{ action: 'pause', filter: { metadata: {} } }, { filter: 'invalid: "metadata": it is empty' }],
    [{ action: 'pause', filter: { ids: [] } }, { filter: 'invalid: "ids": it is empty' }],
    [{ action: 'pause', filter: { all: false } }, { filter: 'invalid: "all": true is expected' }],
    [
      { action: 'pause', filter: { all: true, q: 'x' } },
      { filter: 'invalid: "all": it stands beside no other member' },
    ],
    [
      { action: 'pause', filter: { tags: ['web'] } },
      { filter: 'unknown_field: "tags": did you mean "tag"?' },
    ],
    [
      { action: 'pause', filter: { limit: 3 } },
      { filter: expect.stringMatching(/^unknown_field/) },
    ],
    [
      { action: 'pause', filter: { all: true }, add_tags: ['x'] },
      { add_tags: 'invalid: it belongs to the action tag' },
    ],
    [
      { action: 'tag', filter: { all: true } },
      { add_tags: 'required: tags to add, or remove_tags' },
    ],
    [
      { action: 'erase', filter: { all: true }, limit: 0 },
      {
        action: 'invalid: one of pause, resume, check, remove, tag is expected',
        limit: 'out_of_range: 1..10000',
      },
    ],
    [null, { '': 'invalid: an object is expected' }],
  ])('refuses %j', async (input, fields) => {
    const { engine } = await four()
    const refused: unknown = await engine.monitors.bulk(input as never).catch((e: unknown) => e)
    expect(refused).toBeInstanceOf(ValidationError)
    expect((refused as ValidationError).fields).toEqual(fields)
    expect((await engine.monitors.list({ status: ['paused'] })).items).toEqual([])
  })

  it.each([
    ['memory', memoryStore],
    [
      'SQLite',
      () => {
        const folder = mkdtempSync(join(tmpdir(), 'watchpost-bulk-'))
        onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
        return sqliteStore({ file: join(folder, 'data.db') })
      },
    ],
  ])('changes a thousand monitors in short turns, with a store in %s', async (_, make) => {
    const TURN_MS = 50
    const engine = createEngine({ store: make(), checkers: [tcp()], logger: false })
    onTestFinished(() => engine.stop())
    for (let from = 0; from < 1000; from += 250)
      await Promise.all(
        Array.from({ length: 250 }, (_, n) =>
          engine.monitors.create({
            type: 'tcp',
            name: `m${from + n}`,
            host: '127.0.0.1',
            port: 1,
          }),
        ),
      )
    const filter = { all: true } as const
    const actions = ['pause', 'resume'] as const
    let turn = 0
    const { value, longest_ms } = await leastOf(
      4,
      () =>
        measureTurns(() =>
          engine.monitors.bulk({ action: actions[turn++ % 2] ?? 'pause', filter }),
        ),
      TURN_MS,
    )
    expect(value).toMatchObject({ matched: 1000, changed: 1000, next: null })
    expect(longest_ms).toBeLessThan(TURN_MS)
  })
})
