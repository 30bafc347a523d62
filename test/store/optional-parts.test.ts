import { describe, expect, it, onTestFinished, test } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { EngineOptions } from '../../src/engine/options.ts'
import { requestServicesOf } from '../../src/engine/services/request-services.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import type { FullStore, Store } from '../../src/store/store.ts'
import { storeSuite } from '../../src/testing/store-suite/index.ts'
import type { StorePart } from '../../src/testing/store-suite/index.ts'

const ALONE = [
  'keys',
  'maintenance',
  'publicPages',
  'statusReports',
  'idempotencyResponses',
  'availability',
  'daily',
  'hourly',
  'auditLog',
  'prune',
  'clockSet',
  'accounts.use',
  'accounts.remove',
] as const satisfies StorePart[]

/** Only what `Store` requires. */
function coreOf(full: FullStore): Store {
  const { shared, locations, contacts, monitors, results, incidents, notifications, meta } = full
  const { ensureFirst, create, get, byExternalId, list, update } = full.accounts
  return {
    shared,
    open: () => full.open(),
    close: () => full.close(),
    accounts: { ensureFirst, create, get, byExternalId, list, update },
    ...{ locations, contacts, monitors, results, incidents, notifications, meta },
    commit: (changes) => full.commit(changes),
  }
}

function engineOn(store: Store, options: Partial<EngineOptions> = {}) {
  const engine = createEngine({ store, checkers: [tcp()], logger: false, ...options })
  onTestFinished(() => engine.stop())
  return engine
}

describe('a store of the required members alone', () => {
  const make = async () => coreOf(memoryStore())
  const reopen = async (closed: Store) => closed
  const suite = storeSuite(make, { reopen, without: ALONE })
  for (const { name, run } of suite) test(name, run)

  it('has a test in place of what it leaves out, which names it', () => {
    const named = suite.map(({ name }) => name).filter((name) => name.startsWith('offers no'))
    expect(named.map((name) => name.replace(/\d+/, 'n'))).toEqual(
      ALONE.map((part) => `offers no ${part}: n cases are left out`),
    )
  })
})

describe('the suite', () => {
  it.each(ALONE)('fails where %s is left out unsaid, or said and offered', async (part) => {
    const unsaid = storeSuite(async () => coreOf(memoryStore()), {
      without: ALONE.filter((other) => other !== part),
    })
    const ends = await Promise.allSettled(unsaid.map(({ run }) => run()))
    const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
    expect(new Set(reasons).size).toBe(1)
    expect(reasons[0]).toContain(`the store offers no ${part}: name it in \`without\``)

    const said = storeSuite(async () => memoryStore(), { without: [part] })
    const test = said.find(({ name }) => name.startsWith('offers no'))
    await expect(test?.run()).rejects.toThrow(`the store offers ${part}`)
  })
})

describe('an engine on a store of the required members alone', () => {
  const monitor = { type: 'tcp', name: 'Nobody', host: '127.0.0.1', port: 1 } as const

  it('watches, and says that there is no uptime yet', async () => {
    const engine = engineOn(coreOf(memoryStore()))
    await engine.start()
    const { id } = await engine.monitors.create(monitor)
    await engine.monitors.check(id)
    expect(await engine.results.list(id)).toMatchObject({
      items: [{ verdict: 'fail' }],
    })
    const { overall, days } = await engine.monitors.uptime(id, { days: 2 })
    expect([overall, ...days.map(({ uptime, checks }) => [uptime, checks])]).toEqual([
      null,
      [null, 0],
      [null, 0],
    ])
  })

  it('names the member that a key, or the removal of an account, needs', async () => {
    const engine = engineOn(coreOf(memoryStore()))
    const { id } = await engine.accounts.create({ name: 'other' })
    await expect(engine.keys.create({ name: 'ci' })).rejects.toMatchObject({
      code: 'configuration',
      message: 'An API key needs a store with `keys`; this one has none',
    })
    await expect(engine.authenticate('svc_0123456789abcdef')).rejects.toThrow('`keys`')
    await expect(engine.accounts.remove(id)).rejects.toThrow('`accounts.remove`')
    expect(await engine.accounts.get(id)).toMatchObject({ name: 'other' })
  })

  it('has no planned work, and names the member that it needs', async () => {
    const engine = engineOn(coreOf(memoryStore()))
    await engine.start()
    const { maintenance } = engine
    expect(await maintenance.list()).toEqual({ items: [], next: null })
    expect(await maintenance.upcoming()).toEqual([])
    await expect(maintenance.get(1)).rejects.toMatchObject({ code: 'not_found' })
    await expect(maintenance.remove(1)).rejects.toMatchObject({ code: 'not_found' })
    const window = { cron: '0 3 * * *', duration_min: 5 }
    const made = maintenance.create({ name: 'Disks', window, all_monitors: true })
    await expect(made).rejects.toMatchObject({
      code: 'configuration',
      message: 'Planned work of an account needs a store with `maintenance`; this one has none',
    })
  })

  it('has no public pages made at run time, and names the member that they need', async () => {
    const engine = engineOn(coreOf(memoryStore()))
    await engine.start()
    expect(await engine.publicPages.list()).toEqual({ items: [], next: null })
    await expect(engine.publicPages.get(1)).rejects.toMatchObject({ code: 'not_found' })
    await expect(engine.publicPages.create({ title: 'a', slug: 'a' })).rejects.toThrow(
      'A public page made at run time needs a store with `publicPages`; this one has none',
    )
  })

  it('counts what an account has, and takes no quota that it could not keep to', async () => {
    const engine = engineOn(coreOf(memoryStore()))
    await engine.monitors.create({ ...monitor, interval_sec: 30 })
    expect(await engine.accounts.use(1)).toMatchObject({
      use: { monitors: 1, contacts: 0, checks_per_min: 2 },
    })
    const quotas = { monitors: 1 }
    await expect(engine.accounts.update(1, { quotas })).rejects.toThrow('`accounts.use`')
    await expect(engine.accounts.create({ name: 'o', quotas })).rejects.toThrow('`accounts.use`')
    const interval = { quotas: { min_interval_sec: 60, monitors: null } }
    expect(await engine.accounts.update(1, interval)).toMatchObject(interval)
  })

  it('keeps the answers of repeated requests itself', async () => {
    const { idempotencyResponses } = requestServicesOf(engineOn(coreOf(memoryStore())))
    const reply = { request_hash: 'h', status: 201, body: '{}' }
    await idempotencyResponses.put(1, 'k', reply)
    expect(await idempotencyResponses.get(1, 'k')).toMatchObject(reply)
    expect(await idempotencyResponses.get(1, 'l')).toBeUndefined()
  })

  it.each([
    ['retention', { retention: { resultsDays: 7 } }, '`prune`'],
    ['quotas', { quotas: { contacts: 5 } }, '`accounts.use`'],
  ])('refuses the option %s', (_, options, member) => {
    const store = coreOf(memoryStore())
    expect(() => createEngine({ store, checkers: [tcp()], ...options })).toThrow(member)
    expect(() =>
      createEngine({ store: memoryStore(), checkers: [tcp()], ...options }),
    ).not.toThrow()
  })
})

describe('an engine on a shared store', () => {
  it.each(['shards', 'changes'] as const)('does not start without %s', async (part) => {
    const { [part]: _, ...store } = memoryStore({ place: memoryPlace() })
    const engine = engineOn(store)
    await expect(engine.start()).rejects.toMatchObject({
      code: 'configuration',
      message: `An engine on a shared store needs a store with \`${part}\`; this one has none`,
    })
  })
})
