/**
 * The database of Uptime Kuma 2 (`kuma.db`, or MariaDB): rows of its tables as they stand there, without a driver.
 *
 * Columns are those of its `db/knex_init_db.js` and `db/knex_migrations`; a monitor becomes what its export had, whose
 * names are the columns in camel case.
 *
 * @module
 */

import type { Json, JsonObject } from '../../model.ts'
import { isJsonObject } from '../../model/json.ts'
import { gather } from '../imported.ts'
import type { Gathering, Imported } from '../imported.ts'
import { contactOf } from './contacts.ts'
import { oneMonitor, textOf } from './index.ts'
import type { MonitorProxy } from './index.ts'
import { windowOf } from './maintenance.ts'

/** Rows by table. A table that the version lacks is empty. */
export type KumaTables = Readonly<Record<KumaTable, readonly JsonObject[]>>
export type KumaTable = (typeof KUMA_TABLES)[number]

export const KUMA_TABLES = [
  'monitor',
  'tag',
  'monitor_tag',
  'notification',
  'monitor_notification',
  'maintenance',
  'monitor_maintenance',
  'proxy',
  'setting',
  'status_page',
  'docker_host',
  'remote_browser',
  'stat_daily',
] as const

export interface KumaDatabase {
  readonly tables: KumaTables
  /** Default values of the columns of `monitor`: what has its default says nothing. */
  readonly defaults: Readonly<Record<string, Json | undefined>>
  /** Epoch milliseconds: windows that are over are left out. */
  readonly now: number
  /** Notifications become contacts, which monitors name; else each is noted. */
  readonly contacts: boolean
  /** The days of every monitor. */
  readonly history: boolean
}

export function fromKumaDatabase(database: KumaDatabase): Imported {
  const gathering = gather()
  const { tables } = database
  const monitors = tables.monitor.map(exported)
  const byId = new Map(monitors.map((monitor) => [monitor['id'], monitor]))
  const names = new Map(monitors.map((each) => [each['id'], textOf(each['name'])]))
  const contacts = contactsOf(gathering, database)
  const windows = windowsOf(gathering, database)
  const links = linksOf(tables)
  const certificates = new Set<string>()
  const silent = Object.entries(database.defaults)
  const history: Record<string, readonly JsonObject[]> = {}
  for (const [index, row] of tables.monitor.entries()) {
    const exportedRow = monitors[index] ?? {}
    const id = exportedRow['id']
    const groups = ancestorsOf(exportedRow, byId)
    if (groups.length > MAX_GROUPS) gathering.note(textOf(exportedRow['name']), TOO_NESTED)
    const told = idsOf(links.notifications.get(id), 'notification_id')
    const others = told.filter((each) => !contacts.made.has(each))
    const key = oneMonitor({
      gathering,
      monitor: {
        ...exportedRow,
        tags: tagsOf(links, id),
        notificationIDList: Object.fromEntries(others.map((each) => [textOf(each), true])),
        // A member of a group that is paused is paused as well.
        ...(groups.some(({ active }) => active === 0) ? { active: 0 } : {}),
      },
      names,
      notifications: contacts.names,
      certificates,
      more: {
        groups: groups.slice(1, MAX_GROUPS).map((group) => textOf(group['name'])),
        maintenance: idsOf(links.maintenance.get(id), 'maintenance_id').flatMap(
          (each) => windows.get(each) ?? [],
        ),
        contacts: told.flatMap((each) => contacts.made.get(each) ?? []),
        proxy: proxyOf(tables, exportedRow['proxyId']),
        silent: silent
          .filter(([name, value]) => saidAs(row[name]) === saidAs(value))
          .map(([name]) => camel(name)),
      },
    })
    if (database.history && key !== undefined) history[key] = daysOf(links.days.get(id))
  }
  noteRest(gathering, tables)
  return {
    ...gathering.done(),
    ...(database.contacts ? { contacts: contacts.list } : {}),
    ...(database.history ? { history } : {}),
  }
}

/** Groups around a monitor that become tags. */
const MAX_GROUPS = 20
const TOO_NESTED = `it is in more than ${MAX_GROUPS} groups, one in the other: the nearest ones became tags`
/** Groups around a monitor that are read: a file may nest thousands. */
const MAX_DEPTH = 100

type ByMonitor = ReadonlyMap<Json | undefined, readonly JsonObject[]>

/** What belongs to a monitor, found without reading all rows again for each. */
interface Links {
  readonly tags: ByMonitor
  readonly tagNames: ReadonlyMap<Json | undefined, Json | undefined>
  readonly notifications: ByMonitor
  readonly maintenance: ByMonitor
  readonly days: ByMonitor
}

function linksOf(tables: KumaTables): Links {
  return {
    tags: byMonitor(tables.monitor_tag),
    tagNames: new Map(tables.tag.map(({ id, name }) => [id, name])),
    notifications: byMonitor(tables.monitor_notification),
    maintenance: byMonitor(tables.monitor_maintenance),
    days: byMonitor(tables.stat_daily),
  }
}

function byMonitor(rows: readonly JsonObject[]): ByMonitor {
  const found = new Map<Json | undefined, JsonObject[]>()
  for (const row of rows) {
    const own = found.get(row['monitor_id'])
    if (own === undefined) found.set(row['monitor_id'], [row])
    else own.push(row)
  }
  return found
}

/** Columns that its export has under their own name. */
const AS_THEY_ARE =
  /^(?:dns_|basic_auth_|oauth_|docker_|user_id$|created_date$|accepted_statuscodes_json$|remote_browser$)/

function camel(column: string): string {
  if (AS_THEY_ARE.test(column)) return column
  return column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function exported(row: JsonObject): JsonObject {
  const fields = Object.entries(row).map(([name, value]) => [camel(name), value] as const)
  const statuses = parsed(row['accepted_statuscodes_json'])
  return { ...Object.fromEntries(fields), accepted_statuscodes: statuses ?? [] }
}

/** A default is a text also where the value is a number. */
function saidAs(value: Json | undefined): string {
  return value === null || value === undefined ? '' : textOf(value)
}

function parsed(value: Json | undefined): Json | undefined {
  try {
    return typeof value === 'string' ? (JSON.parse(value) as Json) : undefined
  } catch {
    return undefined
  }
}

/** From the nearest group to the outermost one. */
function ancestorsOf(
  monitor: JsonObject,
  byId: ReadonlyMap<Json | undefined, JsonObject>,
): readonly JsonObject[] {
  const groups = new Set<JsonObject>()
  let group = byId.get(monitor['parent'])
  while (group !== undefined && !groups.has(group) && groups.size < MAX_DEPTH) {
    groups.add(group)
    group = byId.get(group['parent'])
  }
  return [...groups]
}

function tagsOf({ tags, tagNames }: Links, id: Json | undefined): readonly JsonObject[] {
  return (tags.get(id) ?? []).map((link) => ({
    name: tagNames.get(link['tag_id']),
    value: link['value'],
  }))
}

function idsOf(links: readonly JsonObject[] = [], column: string): Json[] {
  return links.flatMap((link) => link[column] ?? [])
}

interface Contacts {
  readonly list: readonly JsonObject[]
  /** Names of contacts by id of the notification. */
  readonly made: ReadonlyMap<Json, string>
  /** Names of notifications without a contact kind here. */
  readonly names: ReadonlyMap<string, string>
}

function contactsOf(gathering: Gathering, { tables, contacts }: KumaDatabase): Contacts {
  const list: JsonObject[] = []
  const made = new Map<Json, string>()
  const names = new Map<string, string>()
  const used = new Set<unknown>()
  for (const row of tables.notification) {
    const { id = null } = row
    const own = textOf(row['name']) || `notification ${textOf(id)}`
    const taken = used.has(own)
    const name = taken ? `${own} (${textOf(id)})` : own
    const note = (what: string): void => gathering.note(name, what)
    const config = parsed(row['config'])
    const contact = contacts && isJsonObject(config) ? contactOf(config, note) : undefined
    if (!contacts)
      note('a notification: make a contact of it (watchpost docs contacts), or use --contacts')
    if (contact === undefined) names.set(textOf(id), name)
    else {
      list.push({ ...contact, name: name.slice(0, 200) })
      used.add(name.slice(0, 200))
      made.set(id, name.slice(0, 200))
      if (row['active'] === 0) note('the notification is off over there, and not here')
    }
  }
  return { list, made, names }
}

function windowsOf(
  gathering: Gathering,
  { tables, now }: KumaDatabase,
): ReadonlyMap<Json, readonly JsonObject[]> {
  const zone = tables.setting.find(({ key }) => key === 'serverTimezone')?.['value']
  const server = textOf(parsed(zone)) || 'UTC'
  return new Map(
    tables.maintenance.map((row) => {
      const note = (what: string): void => gathering.note(textOf(row['title']), what)
      return [row['id'] ?? null, windowOf(row, { server, now, note })]
    }),
  )
}

/** Kuma's words for the protocols that checks speak as well. It has SOCKS 4 beside them. */
const PROXY_SCHEMES: Readonly<Record<string, string>> = {
  http: 'http',
  https: 'https',
  socks5: 'socks5',
  socks5h: 'socks5',
}

/** `undefined` where Kuma goes directly, as it does past a proxy that is switched off. */
function proxyOf({ proxy }: KumaTables, id: Json | undefined): MonitorProxy | undefined {
  const row = proxy.find((each) => each['id'] === id)
  if (id === null || row === undefined || isOff(row['active'])) return undefined
  const protocol = textOf(row['protocol'])
  const place = `${textOf(row['host'])}:${textOf(row['port'])}`
  const scheme = Object.hasOwn(PROXY_SCHEMES, protocol) ? PROXY_SCHEMES[protocol] : undefined
  if (scheme === undefined) return { address: `${protocol}://${place}`, settings: undefined }
  const [user, pass] = [textOf(row['username']), textOf(row['password'])]
  const login = isOff(row['auth'] ?? 0) || user === '' ? {} : { proxy_auth: { user, pass } }
  const address = `${scheme}://${place}`
  return { address, settings: { proxy: address, ...login } }
}

/** A flag of SQLite or of MariaDB. */
function isOff(value: Json | undefined): boolean {
  return value === 0 || value === false
}

/** The days of a monitor: checks that were good and bad, and the mean response time. */
function daysOf(rows: readonly JsonObject[] = []): readonly JsonObject[] {
  return rows
    .filter((row) => isDate(row['timestamp']))
    .map(({ timestamp, up, down, ping }) => ({
      day: new Date(Number(timestamp) * 1000).toISOString().slice(0, 10),
      up,
      down,
      ping_ms: ping,
    }))
}

/** Seconds since 1970 of a year with four digits. */
function isDate(value: Json | undefined): boolean {
  return typeof value === 'number' && value >= 0 && value < 253_402_300_800
}

function noteRest(gathering: Gathering, tables: KumaTables): void {
  const others = {
    status_page: 'title',
    docker_host: 'name',
    remote_browser: 'name',
  }
  for (const [table, column] of Object.entries(others)) {
    for (const row of tables[table as KumaTable])
      gathering.note(textOf(row[column]), `a ${table.replace('_', ' ')} has no counterpart`)
  }
}
