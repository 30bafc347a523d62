/**
 * Uptime Kuma's export ("Backup", one JSON file: `version`, `notificationList`, `monitorList`), as its
 * versions 1.x write it; the fields of 2.x are known as far as they mean something here.
 *
 * @module
 */

import type { JsonObject } from '../../model.ts'
import { BOUNDS, deadline, gather, objectsIn, within } from '../imported.ts'
import type { Gathering, Imported } from '../imported.ts'
import { take } from '../taking.ts'
import type { Taking } from '../taking.ts'
import { IGNORED } from './ignored.ts'
import { translate } from './translate.ts'
import { isJsonObject } from '../../model/json.ts'

export function fromKuma(document: unknown): Imported {
  const gathering = gather()
  if (!isJsonObject(document) || !Array.isArray(document['monitorList'])) {
    gathering.note('the file', 'it has no monitorList: it is no export of Uptime Kuma')
    return gathering.done()
  }
  const tell = (what: string): void => gathering.note('monitorList', what)
  const monitors = objectsIn(document['monitorList'], tell)
  const names = new Map(monitors.map((each) => [each['id'], textOf(each['name'])]))
  const certificates = new Set<string>()
  const notifications = namesOf(document)
  for (const monitor of monitors) {
    oneMonitor({ gathering, monitor, names, certificates, notifications })
  }
  noteRest(gathering, document)
  return gathering.done()
}

/** What a monitor goes through. */
export interface MonitorProxy {
  /** Without the login. */
  readonly address: string
  /** `undefined` where checks do not speak the protocol. */
  readonly settings: JsonObject | undefined
}

interface OneMonitor {
  readonly gathering: Gathering
  readonly monitor: JsonObject
  /** Names of all monitors by id, for their groups. */
  readonly names: ReadonlyMap<unknown, string>
  readonly notifications: ReadonlyMap<string, string>
  /** Hosts whose certificate is watched already. */
  readonly certificates: Set<string>
  /** What only the database has. */
  readonly more?: {
    /** The groups around its group. */
    readonly groups: readonly string[]
    readonly maintenance: readonly JsonObject[]
    /** Names of contacts. */
    readonly contacts: readonly string[]
    readonly proxy: MonitorProxy | undefined
    /** Fields that have the default of their column. */
    readonly silent: readonly string[]
  }
}

/** Returns the key of the monitor; `undefined` if it has none. */
export function oneMonitor(one: OneMonitor): string | undefined {
  const { gathering, monitor, names, notifications, certificates, more } = one
  const from = take(monitor)
  const name = from.text('name') ?? 'without a name'
  const note = (what: string): void => gathering.note(name, what)
  from.ignore(...IGNORED, ...(more?.silent ?? []))
  const group = names.get(from.value('parent'))
  if (from.flag('upsideDown') === true) {
    note('not imported: it is upside down, which would alarm while all is well')
    return undefined
  }
  const translated = translate(from, note)
  if (translated === undefined) return undefined
  const { settings, certificate } = translated
  const common = { name: name.slice(0, 200), ...commonOf(from, group, note) }
  const tags = [...common.tags, ...(more?.groups ?? []).map((each) => each.slice(0, 64))]
  const key = gathering.add({
    ...common,
    tags: [...new Set(tags)],
    ...settings,
    ...throughProxy(settings.type, more?.proxy, note),
    ...(more === undefined || more.contacts.length === 0 ? {} : { contacts: more.contacts }),
    ...(more === undefined || more.maintenance.length === 0
      ? {}
      : { maintenance: more.maintenance }),
  })
  if (more !== undefined) from.ignore('proxyId')
  noteContacts(from, notifications, note)
  if (from.flag('expiryNotification') === true && certificate !== undefined) {
    const place = `${certificate.host}:${certificate.port}`
    if (!certificates.has(place)) {
      certificates.add(place)
      gathering.add({
        name: `${name.slice(0, 180)} certificate`,
        tags: common.tags,
        type: 'ssl',
        ...certificate,
        days_warn: [7, 14, 21],
      })
    }
  }
  for (const field of from.left()) note(`${field} has no counterpart`)
  return key
}

/** Kuma's other types go without the proxy that is set for them. */
function throughProxy(
  type: string,
  proxy: MonitorProxy | undefined,
  note: (what: string) => void,
): JsonObject {
  if (type !== 'http' || proxy === undefined) return {}
  if (proxy.settings === undefined)
    note(`the proxy ${proxy.address}: checks do not speak this protocol`)
  return proxy.settings ?? {}
}

/** Kuma alarms after `maxretries` failures beyond the first one. */
function commonOf(from: Taking, group: string | undefined, note: (what: string) => void) {
  const interval = from.number('interval') ?? 60
  const interval_sec = within({ value: interval, ...BOUNDS.interval_sec }, (allowed) =>
    note(`interval of ${interval} s became ${allowed} s`),
  )
  const retries = from.number('maxretries') ?? 0
  const fail_threshold = within({ value: retries + 1, ...BOUNDS.fail_threshold }, (allowed) =>
    note(`maxretries of ${retries} became fail_threshold ${allowed}`),
  )
  const retryInterval = from.number('retryInterval') ?? interval
  if (retries > 0 && retryInterval !== interval) {
    note(`retryInterval of ${retryInterval} s: a failure is looked at again early by itself`)
  }
  const resend = from.number('resendInterval') ?? 0
  const repeat = within(
    { value: Math.ceil((resend * interval) / 60), ...BOUNDS.notify_repeat_min },
    (allowed) => note(`a reminder every ${resend} checks became one every ${allowed} minutes`),
  )
  const timeout = from.number('timeout') ?? 0
  const paused = from.flag('active') === false
  return {
    interval_sec,
    fail_threshold,
    ...deadline(interval_sec, timeout > 0 ? Math.round(timeout * 1000) : undefined, note),
    ...(repeat > 0 ? { notify_repeat_min: repeat } : {}),
    ...(paused ? { paused } : {}),
    tags: [...(group === undefined ? [] : [group.slice(0, 64)]), ...tagsOf(from)],
  }
}

function tagsOf(from: Taking): string[] {
  const tags = from.list('tags').filter(isJsonObject).map(take)
  return tags.flatMap((tag) => {
    const [name, value] = [tag.text('name'), tag.text('value')]
    const text = name === undefined ? '' : value === undefined ? name : `${name}: ${value}`
    // The sync uses tags with this prefix itself.
    return text === '' || text.startsWith('key:') ? [] : [text.replaceAll(',', ' ').slice(0, 64)]
  })
}

function noteContacts(
  from: Taking,
  notifications: ReadonlyMap<string, string>,
  note: (what: string) => void,
): void {
  const ids = from.value('notificationIDList')
  const names = Object.entries(isJsonObject(ids) ? ids : {})
    .filter(([, chosen]) => chosen === true)
    .map(([id]) => notifications.get(id) ?? `notification ${id}`)
  if (names.length > 0)
    note(`told ${names.join(', ')}: make these contacts, and name them in "contacts"`)
}

function namesOf({ notificationList }: JsonObject): ReadonlyMap<string, string> {
  const list = Array.isArray(notificationList) ? notificationList.filter(isJsonObject) : []
  return new Map(list.map((each) => [textOf(each['id']), textOf(each['name'])]))
}

/** The parts of an export besides its monitors. */
function noteRest(gathering: Gathering, document: JsonObject): void {
  for (const name of namesOf(document).values()) {
    gathering.note(name, 'a notification: make a contact of it (watchpost docs contacts)')
  }
  const rest = take(document)
  rest.ignore('version', 'monitorList', 'notificationList')
  for (const field of rest.left()) gathering.note('the file', `${field} has no counterpart`)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
