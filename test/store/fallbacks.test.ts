/** What an engine sees of a store that leaves out optional members. */
import { describe, expect, it } from 'vitest'
import { StorageError } from '../../src/errors.ts'
import { isCounted, withFallbacks } from '../../src/store/fallbacks.ts'
import { memoryPlace, memoryStore } from '../../src/store/memory.ts'
import type { FullStore, Store } from '../../src/store/store.ts'
import {
  contact,
  firstAccount,
  machine,
  monitor,
  on,
  T0,
} from '../../src/testing/store-suite/case.ts'

const REQUIRED = [
  ...['shared', 'open', 'close', 'locations', 'contacts', 'monitors', 'commit', 'results'],
  ...['incidents', 'notifications', 'meta'],
] as const
const OPTIONAL = [
  'clockSet',
  'shards',
  'changes',
  'requests',
  'idempotencyLocks',
  'backup',
] as const

/** Only what `Store` requires, and these members. */
function storeWith(full: FullStore, ...members: readonly (keyof FullStore)[]): Store {
  const { ensureFirst, create, get, byExternalId, list, update } = full.accounts
  const accounts = { ensureFirst, create, get, byExternalId, list, update }
  const named = [...REQUIRED, ...members].map((name) => [name, full[name]])
  return { ...Object.fromEntries(named), accounts } as Store
}

async function bare() {
  const full = memoryStore()
  await full.open()
  await firstAccount(full)
  return { full, store: withFallbacks(storeWith(full)) }
}

describe('a store', () => {
  it('that is complete is used as it is', () => {
    const store = memoryStore()
    expect(withFallbacks(store)).toBe(store)
  })

  it.each([
    ...['keys', 'maintenance', 'publicPages', 'statusReports', 'idempotencyResponses'],
    ...['availability', 'daily', 'hourly', 'auditLog', 'prune'],
  ] as const)('that lacks %s alone keeps what it has', (name) => {
    const { [name]: left, ...rest } = memoryStore()
    const store = withFallbacks(rest)
    expect(store).not.toBe(rest)
    expect(left).toBeDefined()
    const groups = [
      'keys',
      'maintenance',
      'publicPages',
      'statusReports',
      'daily',
      'hourly',
    ] as const
    for (const other of [...groups, 'availability', 'auditLog', 'idempotencyResponses'] as const)
      if (other !== name) expect(store[other]).toBe((rest as Partial<FullStore>)[other])
  })

  it.each(['use', 'remove'] as const)('that lacks accounts.%s alone is not complete', (name) => {
    const { accounts, ...rest } = memoryStore()
    const { [name]: _, ...others } = accounts
    const store = withFallbacks({ ...rest, accounts: others })
    expect(store.accounts[name]).toBeTypeOf('function')
  })

  it('is opened and closed', async () => {
    const full = memoryStore()
    const store = withFallbacks(storeWith(full))
    await expect(store.meta.get('x')).rejects.toThrow('The store in memory is not open')
    await store.open()
    expect(await store.meta.get('x')).toBeUndefined()
    await store.close()
    await expect(store.meta.get('x')).rejects.toThrow('The store in memory is not open')
  })

  it.each(OPTIONAL)('has %s where it offers it, and not otherwise', (name) => {
    const full = memoryStore({ place: memoryPlace() })
    expect(withFallbacks(storeWith(full))).not.toHaveProperty(name)
    const given = withFallbacks(storeWith(full, name))
    expect(given).toHaveProperty(name)
    for (const other of OPTIONAL) if (other !== name) expect(given).not.toHaveProperty(other)
  })

  it('has what it offers called on itself', async () => {
    const full = memoryStore()
    const calls: unknown[] = []
    const own = {
      ...storeWith(full),
      clockSet(this: unknown, set: unknown) {
        calls.push([this === own, set])
        return Promise.resolve()
      },
      backup(this: unknown, path: string, options: unknown) {
        calls.push([this === own, path, options])
        return Promise.resolve({ bytes: 5 })
      },
      prune(this: unknown, options: unknown) {
        calls.push([this === own, options])
        return Promise.resolve(7)
      },
    }
    const store = withFallbacks(own)
    const set = { by_ms: 1, after: 2, before: 3 }
    await store.clockSet?.(set)
    expect(await store.backup?.('file', {})).toEqual({ bytes: 5 })
    expect(await store.prune({ limit: 1 } as never)).toBe(7)
    expect(calls).toEqual([
      [true, set],
      [true, 'file', {}],
      [true, { limit: 1 }],
    ])
  })
})

describe('what a store leaves out', () => {
  it('is empty where it is read', async () => {
    const { store } = await bare()
    expect(await store.availability.list(1, 0, T0, 9)).toEqual([])
    expect(await store.daily.list(1, '2000-01-01', '2100-01-01')).toEqual([])
    expect(await store.hourly.list(1, 0, T0)).toEqual([])
    expect(await store.auditLog.list({ account_id: 1, limit: 9 })).toEqual([])
    for (const rows of [store.maintenance, store.statusReports, store.publicPages]) {
      expect(await rows.list({ account_id: 1, limit: 9 })).toEqual([])
      expect(rows.get(1)).toBeInstanceOf(Promise)
      expect(await rows.get(1)).toBeUndefined()
      expect(await rows.remove(1)).toBe(false)
    }
    expect(store.publicPages.bySlug('a')).toBeInstanceOf(Promise)
    expect(await store.publicPages.bySlug('a')).toBeUndefined()
    expect(await store.prune({} as never)).toBe(0)
  })

  it('is named where it is needed', async () => {
    const { store } = await bare()
    const needed: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => store.maintenance.create({} as never, 1), 'Planned work of an account|maintenance'],
      [() => store.maintenance.update(1, 1, {} as never), 'Planned work of an account|maintenance'],
      [() => store.statusReports.create({} as never, 1), 'A status report|statusReports'],
      [
        () => store.publicPages.create({} as never, 1),
        'A public page made at run time|publicPages',
      ],
      [() => store.keys.create({} as never), 'An API key|keys'],
      [() => store.keys.byHash('h'), 'An API key|keys'],
      [() => store.keys.byId(1), 'An API key|keys'],
      [() => store.keys.list(1), 'An API key|keys'],
      [() => store.keys.update(1, {}), 'An API key|keys'],
      [() => store.accounts.remove(1, 9), 'The removal of an account|accounts.remove'],
      [
        () => store.accounts.create({ name: 'a', created_at: 0, quotas: { monitors: 1 } }),
        'A quota|accounts.use',
      ],
      [() => store.accounts.update(1, { quotas: { contacts: 1 } }), 'A quota|accounts.use'],
    ]
    for (const [call, said] of needed) {
      const [what, member] = said.split('|')
      const message = `${what} needs a store with \`${member}\`; this one has none`
      await expect(call()).rejects.toMatchObject({ code: 'configuration', message })
    }
  })

  it('does not keep changes from being stored', async () => {
    const { full, store } = await bare()
    const made = await store.monitors.create(monitor())
    const [committed] = await store.commit([on(made, { machine: machine({ state: 'up' }) })])
    expect(committed).toMatchObject({ ok: true, revision: 2 })
    expect((await full.monitors.get(made.id))?.machine.state).toBe('up')
  })

  it('does not keep accounts from being made, found and changed', async () => {
    const { store } = await bare()
    const made = await store.accounts.create({ name: 'Two', external_id: 'x', created_at: T0 })
    expect(await store.accounts.get(made.id)).toEqual(made)
    expect(await store.accounts.byExternalId('x')).toEqual(made)
    expect((await store.accounts.list()).map(({ name }) => name)).toEqual(['First', 'Two'])
    const quotas = { min_interval_sec: 60, monitors: null }
    expect(await store.accounts.update(made.id, { quotas })).toMatchObject({ quotas })
    const first = { name: 'x', created_at: 0 }
    expect(await store.accounts.ensureFirst(first)).toMatchObject({ name: 'First' })
  })

  it('allows quotas where the store counts', async () => {
    const full = memoryStore()
    await full.open()
    await firstAccount(full)
    const { accounts } = full
    const quotas = { monitors: 1 }
    const store = withFallbacks({ ...storeWith(full), accounts })
    expect(await store.accounts.update(1, { quotas })).toMatchObject({ quotas })
    expect(await store.accounts.create({ name: 'a', created_at: 0, quotas })).toMatchObject({
      quotas,
    })
    expect(await store.accounts.remove(2, 99)).toBe('done')
  })

  it('is counted, however many there are, without what is not checked', async () => {
    const { full, store } = await bare()
    expect(await store.accounts.use(1)).toEqual({ monitors: 0, contacts: 0, checks_per_min: 0 })
    for (let n = 0; n < 2; n++) await full.contacts.create(contact())
    const once = monitor()
    await full.monitors.create({ ...once, token_hash: 'h' })
    await full.monitors.create({ ...once, machine: { ...once.machine, state: 'paused' } })
    for (let n = 2; n < 1000; n++) await full.monitors.create(once)
    const use = { monitors: 1000, contacts: 2, checks_per_min: 998 }
    expect(await store.accounts.use(1)).toEqual(use)
    await full.monitors.create(once)
    expect(await store.accounts.use(1)).toMatchObject({ monitors: 1001, checks_per_min: 999 })
  })

  it('are answers of repeated requests, which it keeps itself', async () => {
    const { store } = await bare()
    const response = { request_hash: 'h', status: 201, body: '{}', expires_at: T0 }
    await store.idempotencyResponses.put(1, 'k', response)
    expect(await store.idempotencyResponses.get(1, 'k', 0)).toEqual(response)
    const body = { toString: () => 'x' } as never
    const limit = { count: 1, bytes: 1 }
    const refused = store.idempotencyResponses.put(
      1,
      'k',
      { ...response, body: () => body } as never,
      limit,
    )
    await expect(refused).rejects.toThrow(StorageError)
    await expect(refused).rejects.toThrow('An answer cannot be kept: ')
  })
})

describe('a quota', () => {
  it.each([
    [undefined, false],
    [{}, false],
    [{ min_interval_sec: 5 }, false],
    [{ monitors: null, contacts: null, checks_per_min: null }, false],
    [{ monitors: 0 }, true],
    [{ contacts: 1 }, true],
    [{ checks_per_min: 1 }, true],
  ])('%j: %s that the store must count', (quotas, counted) => {
    expect(isCounted(quotas)).toBe(counted)
  })
})
