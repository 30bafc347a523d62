/** An account with everything that an export has, and what a user sees of it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { heartbeat } from '../../src/checkers/heartbeat/index.ts'
import type { ImportOptions } from '../../src/engine/api/transfer.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { hoursBetween } from '../../src/engine/services/hours.ts'
import { coreOf } from '../../src/engine/options.ts'
import { createPage } from '../../src/page/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { FullStore } from '../../src/store/store.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

export const KEY = Buffer.alloc(32, 7)
export const SECRET = 'hunter2-in-the-store'

export async function started(store: FullStore = memoryStore(), given?: Rig): Promise<Rig> {
  const made = await rig(
    { checkers: [heartbeat()] },
    { store, ...(given === undefined ? {} : { clock: given.clock }) },
  )
  onTestFinished(() => made.engine.stop())
  return made
}

export function fileStore(): FullStore {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-transfer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

/** Contacts, parents, a pause, a maintenance window, a secret, a heartbeat; one of them fails. */
export async function furnished(store?: FullStore, span_ms = 10_800_000): Promise<Rig> {
  const made = await started(store)
  const { engine, clock, say } = made
  const create = (input: object) => engine.monitors.create(input as never)
  const contact = (input: object) => engine.contacts.create({ kind: 'recorder', ...input } as never)
  await contact({ name: 'gone', to: 'gone' }).then(({ id }) => engine.contacts.remove(id))
  const ops = await contact({ name: 'ops', to: 'ops', all_monitors: true })
  const night = await contact({ name: 'night', to: 'night', group_window_sec: 0 })
  const plain = { type: 'scripted', interval_sec: 600, fail_threshold: 1 }
  await create({ ...plain, host: 'gone.test' }).then(({ id }) => engine.monitors.remove(id))
  const router = await create({ ...plain, host: 'router.test', tags: ['net', 'key:router'] })
  const web = await create({
    ...plain,
    host: 'web.test',
    secret: SECRET,
    contact_ids: [night.id, ops.id],
    contact_delay: { [night.id]: 5 },
    depends_on: [router.id],
    maintenance: [{ at: '03:00', duration_min: 10, time_zone: 'Europe/Berlin' }],
    metadata: { plan: 'gold' },
  })
  const plan = (input: object) => engine.maintenance.create(input as never)
  const nightly = { at: '23:00', duration_min: 30, time_zone: 'Europe/Berlin' }
  await plan({ name: 'Racks', window: nightly, monitor_ids: [web.id, router.id] })
  await plan({ name: 'Racks', window: nightly, monitor_ids: [router.id, web.id] })
  const sunday = { cron: '0 5 * * 0', duration_min: 60 }
  await plan({ name: 'Network', window: sunday, tags: ['net'] })
  await publish(engine, web.id, router.id)
  const idle = await create({ ...plain, host: 'idle.test' })
  await engine.monitors.pause(idle.id)
  await create({ type: 'heartbeat', name: 'Nightly' })
  say('web.test', 'fail')
  await clock.advance(1_300_000)
  say('web.test', 'ok')
  await clock.advance(span_ms)
  await engine.monitors.check(web.id)
  return made
}

export const PASSWORD = 'open sesame'

/** A page with a password and one without, a report on both; a page and a monitor that are gone. */
async function publish(engine: Engine, web: number, router: number): Promise<void> {
  const { publicPages, statusReports } = engine
  await publicPages.create({ title: 'Gone', slug: 'gone' }).then(({ id }) => publicPages.remove(id))
  const shop = await publicPages.create({
    title: 'Shop',
    slug: 'shop',
    password: PASSWORD,
    groups: [{ name: 'Web', monitors: [{ id: web, name: 'Site' }, router], tag: 'net' }],
    colors: { light: { accent: '#123456' } },
    css: '.services{gap:2px}',
    noindex: false,
  })
  const open = await publicPages.create({ title: 'Open', slug: 'open', time_zone: 'Europe/Berlin' })
  const on = { page_ids: [shop.id, open.id], monitor_ids: [web] }
  await statusReports.create({ title: 'First', text: 'We look.', ...on })
  const { id } = await statusReports.create({ title: 'Second', text: 'Again.', ...on })
  await statusReports.addUpdate(id, { status: 'resolved', text: 'Over.\nSorry.' })
}

/** What visitors see, and whether the password opens each page. */
export async function published(engine: Engine) {
  const { items: pages } = await engine.publicPages.list()
  const { items: reports } = await engine.statusReports.list()
  const { items: monitors } = await engine.monitors.list({ limit: 200 })
  const monitorName = new Map<number, string>(monitors.map(({ id, name }) => [id, name]))
  const slug = new Map(pages.map((page) => [page.id, page.slug]))
  return {
    pages: pages.map(({ id: _, updated_at: _u, version: _v, groups, ...page }) => ({
      ...page,
      groups: groups.map((group) => ({
        ...group,
        monitors: group.monitors.map(({ id, name }) => [monitorName.get(id), name]),
      })),
    })),
    reports: reports.map(
      ({ id: _, updated_at: _u, version: _v, page_ids, monitor_ids, ...report }) => ({
        ...report,
        pages: page_ids.map((id) => slug.get(id)),
        monitors: monitor_ids.map((id) => monitorName.get(id)),
      }),
    ),
  }
}

/** Whether visitors of the page get in with the password, at the door of the page itself. */
export async function opens({ engine }: Rig, slug: string, password: string): Promise<boolean> {
  const page = createPage(engine, { publicPages: true })
  const answer = await page.fetch(
    new Request(`http://watchpost.test/status/${slug}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'http://watchpost.test',
        'sec-fetch-site': 'same-origin',
      },
      body: new URLSearchParams({ password }),
    }),
  )
  return answer.status === 303
}

export async function exported(engine: Engine, options?: Parameters<Engine['export']>[0]) {
  const lines: string[] = []
  for await (const line of engine.export(options)) lines.push(line)
  return lines
}

export const importing = (engine: Engine, lines: readonly string[], options?: ImportOptions) =>
  engine.import(() => lines, options)

/** Whole when it is validated; while it is stored, its reading fails after so many lines. */
export function failing(lines: readonly string[], after: number): () => Iterable<string> {
  let reads = 0
  return function* () {
    reads++
    for (const [index, line] of lines.entries()) {
      if (reads > 1 && index === after) throw new Error('the disk is gone')
      yield line
    }
  }
}

/** What a user sees of an account, without ids. */
export async function seen({ engine, store }: Rig) {
  const contacts = await engine.contacts.list()
  const { items } = await engine.monitors.list({ limit: 200 })
  const nameOf = new Map<number, string>([...items.map(({ id, name }) => [id, name] as const)])
  const contactName = new Map(contacts.map(({ id, name }) => [id, name]))
  const monitors = []
  for (const { id } of items) {
    const view = (await engine.monitors.get(id)) as unknown as Record<string, unknown>
    const { depends_on, contact_ids, contact_delay, ...rest } = view as never as {
      depends_on: number[]
      contact_ids: number[]
      contact_delay: Record<string, number>
    } & Record<string, unknown>
    const kept = [
      'type',
      'name',
      'target',
      'tags',
      'interval_sec',
      'maintenance',
      'metadata',
      'secret',
      'created_at',
    ]
    const { items: results } = await engine.results.list(id, { limit: 1000 })
    const { days } = await engine.monitors.uptime(id, { days: 5 })
    const hours = await hoursBetween(
      coreOf({ store, checkers: [] }),
      id,
      0,
      Number.MAX_SAFE_INTEGER,
    )
    monitors.push({
      ...Object.fromEntries(kept.map((name) => [name, rest[name]])),
      paused: rest['state'] === 'paused',
      depends_on: depends_on.map((one) => nameOf.get(one)),
      contacts: contact_ids.map((one) => contactName.get(one)),
      delays: Object.entries(contact_delay).map(([one, minutes]) => [
        contactName.get(Number(one)),
        minutes,
      ]),
      results: results.map(({ id: _, monitor_id: _m, ...result }) => result),
      days: days.slice(0, -1),
      hours: hours.map(({ monitor_id: _, ...hour }) => hour),
    })
  }
  const { items: incidents } = await engine.incidents.list({ limit: 100 })
  const { items: windows } = await engine.maintenance.list()
  return {
    windows: windows.map(({ id: _, monitor_ids, updated_at: _u, ...window }) => ({
      ...window,
      monitors: monitor_ids.map((one) => nameOf.get(one)),
    })),
    ...(await published(engine)),
    contacts: contacts.map(({ name, all_monitors }) => ({ name, all_monitors })),
    monitors,
    incidents: incidents.map(({ started_at, ended_at, cause_code, monitor }) => ({
      started_at,
      ended_at,
      cause_code,
      name: monitor.name,
    })),
  }
}
