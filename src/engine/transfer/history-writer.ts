/**
 * Stores the history of monitors whose import has not ended: many rows in one transaction, in the order of the
 * export, and none twice.
 *
 * @module
 */

import { NotFoundError } from '../../errors.ts'
import type {
  AvailabilityChange,
  DailyStats,
  EpochMs,
  HourlyStats,
  IncidentRecord,
  ResultRecord,
} from '../../model.ts'
import type { Change, Committed } from '../../store/store.ts'
import type { Core } from '../core/core.ts'

/** Rows of one transaction; a day counts as several, since its response times are stored one bucket at a time. */
const ROWS = 100
const DAY_ROWS = 10
const ALWAYS = Number.MAX_SAFE_INTEGER
const TRIES = 5

type OfMonitor<T> = Omit<T, 'id' | 'monitor_id'>
type Incident = Omit<OfMonitor<IncidentRecord>, 'account_id' | 'suppressed_by'>

export interface HistoryWriter {
  day(id: number, day: OfMonitor<DailyStats>): Promise<void>
  hour(id: number, hour: OfMonitor<HourlyStats>): Promise<void>
  availability(id: number, change: OfMonitor<AvailabilityChange>): Promise<void>
  incident(id: number, incident: Incident): Promise<void>
  result(id: number, result: OfMonitor<ResultRecord>): Promise<void>
  /** Stores what waits. */
  flush(): Promise<void>
}

type Done = Extract<Committed, { ok: true }>

type Rows = {
  -readonly [K in 'daily' | 'hourly' | 'availability' | 'results']?: NonNullable<
    Change[K]
  >[number][]
}

/** `resumed`: monitors of which some rows may be stored. */
export function createHistoryWriter(
  core: Core,
  { resumed }: { readonly resumed: ReadonlySet<number> },
): HistoryWriter {
  const { store } = core
  const commit = committerOf(core)
  const stored = createStored(core, resumed)
  let waiting = new Map<number, Rows>()
  let incidents: (readonly [id: number, incident: Incident])[] = []
  let rows = 0

  async function add<K extends keyof Rows>(
    id: number,
    kind: K,
    row: NonNullable<Rows[K]>[number],
  ): Promise<void> {
    const own = waiting.get(id) ?? {}
    waiting.set(id, own)
    const list = (own[kind] ??= []) as (typeof row)[]
    list.push(row)
    rows += kind === 'daily' ? DAY_ROWS : 1
    if (rows >= ROWS) await flush()
  }

  async function flush(): Promise<void> {
    const [batch, ended] = [waiting, incidents]
    waiting = new Map()
    incidents = []
    rows = 0
    await commit([...batch].map(([id, change]) => [id, change] as const))
    if (ended.length > 0) await storeIncidents(ended)
  }

  /** Opened together, and ended together: only then their ids are known. */
  async function storeIncidents(list: typeof incidents): Promise<void> {
    const opened = await commit(list.map(([id, incident]) => [id, openingOf(incident)] as const))
    await commit(
      list.map(([id, incident], index) => [id, endOf(opened[index]?.incident_id ?? 0, incident)]),
    )
  }

  return {
    flush,
    async day(id, day) {
      if (!(await stored.hasDay(id, day))) await add(id, 'daily', day)
    },
    async hour(id, hour) {
      if (!(await stored.hasHour(id, hour))) await add(id, 'hourly', hour)
    },
    async availability(id, change) {
      if (!(await stored.hasChange(id, change))) await add(id, 'availability', change)
    },
    async result(id, result) {
      if (!(await stored.hasResult(id, result))) await add(id, 'results', result)
    },
    async incident(id, incident) {
      const known = await stored.incident(id, incident)
      if (known === 'ended') return
      // One of a monitor at a time, so that ids rise in the order of the export.
      if (waiting.size > 0 || incidents.some(([other]) => other === id)) await flush()
      if (known === undefined) incidents.push([id, incident])
      else await commit([[id, endOf(known, incident)]])
      if (incidents.length >= ROWS) await flush()
    },
  }

  function openingOf(incident: Incident): Partial<Change> {
    const { started_at, detected_at, cause_code, cause_text, causes, locations_failed } = incident
    const opening = { started_at, detected_at, cause_code, cause_text, causes, locations_failed }
    return { open_incident: { ...opening, suppressed_by: null } }
  }

  /** An incident that was open ends here: the monitor is not down before it is checked. */
  function endOf(id: number, { ended_at, closed_reason, acknowledged_at, started_at }: Incident) {
    const end = ended_at ?? Math.max(started_at, core.clock.now())
    return {
      update_incident: {
        id,
        ended_at: end,
        closed_reason: closed_reason ?? ('paused' as const),
        ...(acknowledged_at === null ? {} : { acknowledged_at }),
      },
    } satisfies Partial<Change>
  }

  /** During an import only a user may change a monitor; its rows are then committed again, on the new revision. */
  function committerOf({ clock }: Core) {
    const revisions = new Map<number, number>()
    return async (
      changes: readonly (readonly [id: number, change: Partial<Change>])[],
    ): Promise<readonly (Done | undefined)[]> => {
      const done: (Done | undefined)[] = changes.map(() => undefined)
      let left = [...changes.entries()]
      for (let tries = 0; left.length > 0; tries++) {
        if (tries === TRIES) throw new NotFoundError('monitor')
        for (const [, [id]] of left) if (!revisions.has(id)) revisions.set(id, await revisionOf(id))
        const wanted = left.map(([, [monitor_id, change]]) => ({
          ...change,
          monitor_id,
          revision: revisions.get(monitor_id) ?? 1,
          at: clock.now(),
        }))
        const ends = await store.commit(wanted)
        left = left.filter(([index, [id]], place) => {
          const end = ends[place]
          if (end?.ok !== true) return revisions.delete(id)
          revisions.set(id, end.revision)
          done[index] = end
          return false
        })
      }
      return done
    }
  }

  async function revisionOf(id: number): Promise<number> {
    const record = await store.monitors.get(id)
    if (record === undefined) throw new NotFoundError('monitor')
    return record.revision
  }
}

/** When the availability of a monitor last changed: a list begins with the change that is in force at its start. */
export async function lastChangeAt(
  { availability }: Pick<Core['store'], 'availability'>,
  monitor_id: number,
): Promise<EpochMs | undefined> {
  return (await availability.list(monitor_id, ALWAYS, ALWAYS)).at(-1)?.at
}

interface Stored {
  hasDay(id: number, day: Pick<DailyStats, 'day'>): Promise<boolean>
  hasHour(id: number, hour: OfMonitor<HourlyStats>): Promise<boolean>
  hasChange(id: number, change: Pick<AvailabilityChange, 'at'>): Promise<boolean>
  hasResult(id: number, result: OfMonitor<ResultRecord>): Promise<boolean>
  /** Its id if it is stored and open, `ended` if it is stored as a whole. */
  incident(id: number, incident: Incident): Promise<number | 'ended' | undefined>
}

/** What an interrupted import stored of each monitor; rows of a monitor are in the order of the export. */
function createStored({ store }: Core, resumed: ReadonlySet<number>): Stored {
  const days = perMonitor(async (id) => {
    const list = await store.daily.list(id, '0000-01-01', '9999-12-31')
    return list.at(-1)?.day ?? ''
  })
  const hours = perMonitor(async (id) => {
    const list = await store.hourly.list(id, 0, ALWAYS)
    return list.filter(({ hour }) => hour === list.at(-1)?.hour)
  })
  const changes = perMonitor(async (id) => (await lastChangeAt(store, id)) ?? -Infinity)
  const results = perMonitor(async (id) => {
    const [newest] = await store.results.list({ monitor_id: id, limit: 1 })
    return { newest, passed: newest === undefined }
  })
  const incidents = perMonitor(async (id) => {
    const [newest] = await store.incidents.list({ account_id: 'all', monitor_id: id, limit: 1 })
    return { newest, passed: newest === undefined }
  })

  function perMonitor<T>(read: (id: number) => Promise<T>): (id: number) => Promise<T | undefined> {
    const known = new Map<number, Promise<T>>()
    return async (id) => {
      if (!resumed.has(id)) return undefined
      const found = known.get(id) ?? read(id)
      known.set(id, found)
      return found
    }
  }

  return {
    hasDay: async (id, { day }) => day <= ((await days(id)) ?? ''),
    async hasHour(id, { hour, location_id }) {
      const last = (await hours(id)) ?? []
      return last.some((known) =>
        known.hour === hour ? known.location_id === location_id : hour < known.hour,
      )
    },
    hasChange: async (id, { at }) => at <= ((await changes(id)) ?? -Infinity),
    async hasResult(id, result) {
      const state = await results(id)
      if (state === undefined || state.passed) return false
      const { newest } = state
      state.passed =
        newest?.round === result.round &&
        newest.started_at === result.started_at &&
        newest.location_id === result.location_id
      return true
    },
    async incident(id, incident) {
      const state = await incidents(id)
      if (state === undefined || state.passed) return undefined
      const { newest } = state
      state.passed =
        newest?.started_at === incident.started_at && newest.detected_at === incident.detected_at
      if (!state.passed || newest === undefined) return 'ended'
      return newest.ended_at === null ? newest.id : 'ended'
    },
  }
}
