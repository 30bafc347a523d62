/** Which host a contact is at, and whether its notifications go out in groups. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createContactHosts } from '../../src/engine/delivery/contact-hosts.ts'
import { field } from '../../src/fields/vocabulary.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { createSeal } from '../../src/seal.ts'
import { contact } from '../../src/testing/store-suite/case.ts'
import { defineContactKind } from '../../src/webhook/contact-kind.ts'
import { webhookContact } from '../../src/webhook/webhook-kind.ts'
import { outboxRig } from './outbox-rig.ts'
import { rig } from './rig.ts'

const plain = { policy: () => undefined, check: () => Promise.resolve({}) }
const fields = { to: field.text({ description: 'Name' }).required() }
const KINDS = [
  webhookContact(),
  defineContactKind({
    ...{ kind: 'aimless', title: 'Aimless', fields, ...plain },
    deliver: () => Promise.reject(new Error('never')),
  }),
  defineContactKind({
    ...{ kind: 'broken', title: 'Broken', fields, ...plain },
    target: () => {
      throw new Error('no target')
    },
    deliver: () => Promise.reject(new Error('never')),
  }),
]

async function hosts(most?: number) {
  const rig = await outboxRig()
  const kinds = new Map(KINDS.map((kind) => [kind.kind, kind]))
  const core = { ...rig.core, contactKinds: kinds } as unknown as typeof rig.core
  return { ...rig, core, hosts: createContactHosts(core, most) }
}

const at = (url: string, change = {}) => ({
  ...contact({ settings: { url }, ...change }),
  id: 7,
  version: 1,
})

describe('the host of a contact', () => {
  it('is that of its address, within its account', async () => {
    const all = await hosts()
    all.hosts.update(at('https://Hooks.example:8443/a'))
    expect(all.hosts.byContact.get(7)).toBe('1 hooks.example')
    all.hosts.update(at('https://hooks.example/', { account_id: 4 }))
    expect(all.hosts.byContact.get(7)).toBe('4 hooks.example')
  })

  it('is that of the settings where they are known', async () => {
    const all = await hosts()
    all.hosts.update(at('https://old.example/'), { url: 'https://new.example/' })
    expect(all.hosts.byContact.get(7)).toBe('1 new.example')
  })

  it('is none where the kind has no target, or is not known', async () => {
    const { hosts: all, logged } = await hosts()
    for (const kind of ['aimless', 'unheard_of']) {
      all.update(at('https://old.example/'))
      all.update({ ...at('x'), kind, settings: { to: 'somebody' } })
      expect([all.byContact.has(7), logged]).toEqual([false, []])
      all.update({ ...at('x'), kind }, { to: 'somebody' })
      expect([all.byContact.has(7), logged]).toEqual([false, []])
    }
  })

  it('is none where the kind fails to say it, which is logged', async () => {
    const { hosts: all, logged } = await hosts()
    all.update({ ...at('x'), kind: 'broken', settings: { to: 'somebody' } })
    expect(all.byContact.has(7)).toBe(false)
    expect(logged).toEqual(['warn: a contact kind did not say its target: kind broken: no target'])
  })

  it('is none where the settings are sealed with another key', async () => {
    const { hosts: all, logged } = await hosts()
    const secret = createSeal(Buffer.alloc(32, 1)).encrypt('s', 'contact.secret')
    all.update({ ...at('x'), settings: { url: 'https://hooks.example/', secret } })
    expect([all.byContact.has(7), logged]).toEqual([false, []])
  })
})

describe('a contact with a window for groups', () => {
  it('is known as long as it has one', async () => {
    const { hosts: all } = await hosts()
    all.update(at('https://hooks.example/', { group_window_sec: 60 }))
    expect([...all.grouped]).toEqual([7])
    all.update(at('https://hooks.example/'))
    expect([...all.grouped]).toEqual([])
  })
})

describe('a start', () => {
  it('reads the contacts of every account', async () => {
    const { hosts: all, store } = await hosts()
    const other = await store.accounts.create({ name: 'Other', created_at: 0 })
    const settings = { url: 'https://hooks.example/' }
    const first = await store.contacts.create(contact({ settings, group_window_sec: 60 }))
    const second = await store.contacts.create(contact({ settings, account_id: other.id }))
    await all.load()
    expect([...all.byContact]).toEqual([
      [first.id, '1 hooks.example'],
      [second.id, `${other.id} hooks.example`],
    ])
    expect([...all.grouped]).toEqual([first.id])
  })
})

describe('a contact that is removed', () => {
  const named = (id: number, change = {}) => ({ ...at('https://hooks.example/', change), id })
  const grouping = { group_window_sec: 60 }

  it('counts for its host while an attempt may be under way, and is forgotten then', async () => {
    const { hosts: all, clock } = await hosts()
    for (const id of [1, 2, 3]) all.update(named(id, grouping))
    all.remove(1)
    await clock.advance(59_999)
    all.remove(2)
    expect([...all.byContact.keys()]).toEqual([1, 2, 3])
    await clock.advance(1)
    all.remove(99)
    expect([...all.byContact.keys()]).toEqual([2, 3])
    expect([...all.grouped]).toEqual([2, 3])
  })

  it('is forgotten with its account', async () => {
    const { hosts: all, clock } = await hosts()
    all.update(named(1))
    all.update(named(2, { account_id: 4 }))
    all.update({
      ...named(3, { account_id: 4, ...grouping }),
      kind: 'aimless',
      settings: { to: 'x' },
    })
    all.removeAccount(4)
    await clock.advance(60_000)
    all.removeAccount(4)
    expect([...all.byContact.keys(), ...all.grouped]).toEqual([1])
  })

  it('and then its account, is forgotten a minute after the first', async () => {
    const { hosts: all, clock } = await hosts()
    for (const id of [1, 2]) all.update(named(id, grouping))
    all.remove(1)
    await clock.advance(30_000)
    all.removeAccount(1)
    await clock.advance(30_000)
    all.remove(99)
    expect([...all.byContact.keys()]).toEqual([2])
  })

  it('by another process is forgotten before those that are in use', async () => {
    const { hosts: all } = await hosts(3)
    for (const id of [1, 2, 3, 1, 4, 5]) all.update(named(id, grouping))
    expect([...all.byContact.keys()].toSorted()).toEqual([1, 4, 5])
    expect([...all.grouped].toSorted()).toEqual([1, 4, 5])
  })
})

it('an engine forgets the contacts and accounts that it removes', async () => {
  const store = memoryStore()
  const { claim } = store.notifications
  let known: ReadonlyMap<number, string> = new Map()
  Object.assign(store.notifications, {
    claim(wanted: Parameters<typeof claim>[0]) {
      if (wanted.hosts !== undefined) known = wanted.hosts.of
      return claim.call(store.notifications, wanted)
    },
  })
  const contacts = [webhookContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })]
  const { engine, clock } = await rig({ contacts } as never, { store })
  onTestFinished(() => engine.stop())
  const hook = { kind: 'webhook', name: 'Ops', url: 'http://127.0.0.1:9/' }
  const [gone, stays, last] = [
    await engine.contacts.create(hook),
    await engine.contacts.create(hook),
    await engine.contacts.create(hook),
  ]
  const other = await engine.accounts.create({ name: 'Other' })
  const owned = await engine.account(other.id).contacts.create(hook)
  await clock.advance(1)
  expect([...known.keys()]).toEqual([gone.id, stays.id, last.id, owned.id])
  await engine.contacts.remove(gone.id)
  await engine.accounts.remove(other.id)
  await clock.advance(60_000)
  await engine.contacts.remove(last.id)
  expect([...known.keys()]).toEqual([stays.id, last.id])
})
