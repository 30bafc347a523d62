/** Rows of a database as records, and those that are damaged: named, so that the operator finds them. */
import { describe, expect, it } from 'vitest'
import { UnreadableError } from '../../src/errors.ts'
import type { StorageError } from '../../src/errors.ts'
import { readable } from '../../src/store/readable.ts'
import * as rows from '../../src/store/rows.ts'
import type { Row } from '../../src/store/rows.ts'
import { monitor, outcome } from '../../src/testing/store-suite/case.ts'

const OBJECT = '{"a":1}'
const MONITOR = { ...monitor(), id: 3, version: 1, revision: 1 }

/** What each kind of row has in its columns of JSON. */
const KINDS: readonly (readonly [string, (row: Row) => object, Row, object])[] = [
  [
    'an account',
    rows.toAccount,
    { id: 3, name: 'Shop', quotas: OBJECT, monitor_defaults: '{"b":2}', removing: 0 },
    { id: 3, name: 'Shop', quotas: { a: 1 }, monitor_defaults: { b: 2 } },
  ],
  [
    'a key',
    rows.toKey,
    { id: 3, hash: 'h', scopes: '["read"]' },
    { id: 3, hash: 'h', scopes: ['read'] },
  ],
  [
    'a contact',
    rows.toContact,
    { id: 3, all_monitors: 1, quiet: '{"zone":"UTC"}', events: '["down"]', settings: OBJECT },
    { id: 3, all_monitors: true, quiet: { zone: 'UTC' }, events: ['down'], settings: { a: 1 } },
  ],
  [
    'a contact without quiet hours',
    rows.toContact,
    { id: 3, all_monitors: 0, quiet: null, events: '[]', settings: '{}' },
    { id: 3, all_monitors: false, quiet: null, events: [], settings: {} },
  ],
  [
    'settings with a version',
    rows.toVersioned,
    { id: 3, account_id: 1, version: 2, settings: OBJECT, created_at: 4, updated_at: 5, slug: 's' },
    { id: 3, account_id: 1, version: 2, settings: { a: 1 }, created_at: 4, updated_at: 5 },
  ],
  [
    'a monitor',
    rows.toMonitor,
    {
      ...MONITOR,
      common: JSON.stringify(MONITOR.common),
      settings: JSON.stringify(MONITOR.settings),
      machine: JSON.stringify(MONITOR.machine),
    },
    MONITOR,
  ],
  [
    'the state of a location',
    rows.toLocationState,
    {
      ...{ monitor_id: 3, location_id: 4, consecutive_fails: 0 },
      ...{ last: JSON.stringify(outcome()), memo: '[1]' },
    },
    { monitor_id: 3, location_id: 4, consecutive_fails: 0, last: outcome(), memo: [1] },
  ],
  [
    'the state of a location that has seen nothing',
    rows.toLocationState,
    { monitor_id: 3, location_id: 4, consecutive_fails: 0, last: null, memo: null },
    { monitor_id: 3, location_id: 4, consecutive_fails: 0, last: null, memo: null },
  ],
  [
    'a result',
    rows.toResult,
    { id: 3, verdict: 'ok', phases: '1,2', details: OBJECT },
    { id: 3, verdict: 'ok', phases: { resolve_ms: 1, connect_ms: 2 }, details: { a: 1 } },
  ],
  [
    'a result without details',
    rows.toResult,
    { id: 3, verdict: 'ok', phases: null, details: null },
    { id: 3, verdict: 'ok', phases: {}, details: {} },
  ],
  [
    'an incident',
    rows.toIncident,
    { id: 3, cause_code: 'x', causes: '[{"at":1}]', locations_failed: '[1,2]' },
    { id: 3, cause_code: 'x', causes: [{ at: 1 }], locations_failed: [1, 2] },
  ],
  [
    'an entry of the audit log',
    rows.toAudit,
    { id: 3, action: 'update', changes: '["name"]' },
    { id: 3, action: 'update', changes: ['name'] },
  ],
  [
    'the totals of an hour',
    rows.toHourly,
    {
      ...{ monitor_id: 3, location_id: 1, hour: 7 },
      totals: '{"ok":1,"fail":2,"unknown":0,"latency":[4,1],"phases":{},"figures":{}}',
    },
    {
      ...{ monitor_id: 3, location_id: 1, hour: 7, ok: 1, fail: 2, unknown: 0 },
      ...{ latency: [4, 1], phases: {}, figures: {} },
    },
  ],
  [
    'the totals of a day',
    rows.toDaily,
    { monitor_id: 3, day: '2026-03-01', ok: 1, latency: '{"4":2}' },
    { monitor_id: 3, day: '2026-03-01', ok: 1, latency: { '4': 2 } },
  ],
  ['a notification', rows.toNotification, { id: 3, status: 'sent' }, { id: 3, status: 'sent' }],
  ['an attempt', rows.toAttempt, { notification_id: 3, n: 1 }, { notification_id: 3, n: 1 }],
  [
    'a change of availability',
    (row) => rows.toChanges([row])[0] ?? {},
    { id: 7, monitor_id: 3, at: 4, availability: 'up' },
    { monitor_id: 3, at: 4, availability: 'up' },
  ],
]

describe('a row of a database', () => {
  it.each(KINDS)('is %s', (_, read, row, record) => {
    expect(read(row)).toEqual(record)
  })
})

describe('a damaged row', () => {
  const columns = KINDS.flatMap(([kind, read, row]) =>
    Object.entries(row)
      .filter(([, value]) => typeof value === 'string' && /^[[{]/.test(value))
      .map(([column]) => [`${column} of ${kind}`, read, row, column] as const),
  )

  it.each(columns)('is named where the text is cut: %s', (_, read, row, column) => {
    const damaged = () => read({ ...row, [column]: '{"a' })
    expect(damaged).toThrow(UnreadableError)
    expect(damaged).toThrow(`Unreadable "${column}" in row 3`)
  })

  it('keeps what the parser says', () => {
    const damaged = (): unknown => rows.toKey({ id: 3, scopes: '{' })
    expect(damaged).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) as unknown }))
  })

  it.each(
    ['null', '5', '"text"', '[]', 'true'].flatMap((text) =>
      [
        ['quotas', rows.toAccount],
        ['settings', rows.toVersioned],
        ['machine', rows.toMonitor],
        ['totals', rows.toHourly],
        ['latency', rows.toDaily],
      ].map(([column, read]) => [text, column, read] as [string, string, (row: Row) => object]),
    ),
  )('has %s in place of the object in %s', (text, column, read) => {
    expect(() => read({ id: 3, monitor_defaults: '{}', [column]: text })).toThrow(
      `Unreadable "${column}" in row 3`,
    )
  })

  it.each(['null', '5', '"text"', '{}', 'true'])('has %s in place of a list', (text) => {
    expect(() => rows.toKey({ id: 3, scopes: text })).toThrow('Unreadable "scopes" in row 3')
  })

  it('of a monitor names the part that has no form', () => {
    const row = KINDS.find(([kind]) => kind === 'a monitor')?.[2]
    const common = JSON.stringify({ ...MONITOR.common, interval_sec: 'often' })
    expect(() => rows.toMonitor({ ...row, common })).toThrow(
      'Unreadable "common.interval_sec" in row 3',
    )
  })

  it.each(['{}', '{"state":"fine"}'])('has no state that a monitor can have: %s', (machine) => {
    const row = { id: 3, common: '{}', settings: '{}', machine }
    expect(() => rows.toMonitor(row)).toThrow('Unreadable "machine" in row 3')
  })
})

describe('changes of availability', () => {
  it('the time behind one that is damaged is unknown, and one without a time is left out', () => {
    const change = (id: number, at: number, availability: string | number): Row => ({
      id,
      monitor_id: 3,
      at,
      availability,
    })
    const given = [
      change(1, -1e300, 'up'),
      change(2, 5, 'down'),
      change(3, 6, 'uq'),
      change(4, 7, 5),
      change(5, 8, 'up'),
    ]
    const told: string[] = []
    expect(rows.toChanges(given, ({ message }) => told.push(message))).toEqual([
      { monitor_id: 3, at: 5, availability: 'down' },
      { monitor_id: 3, at: 6, availability: 'unknown' },
      { monitor_id: 3, at: 7, availability: 'unknown' },
      { monitor_id: 3, at: 8, availability: 'up' },
    ])
    expect(told).toEqual([
      'Unreadable "at" in row 1',
      'Unreadable "availability" in row 3',
      'Unreadable "availability" in row 4',
    ])
  })
})

describe('a list with damaged rows', () => {
  const good = { id: 1, scopes: '[]' }
  const bad = { id: 2, scopes: '[' }

  it('has the others, and tells of each', () => {
    const told: StorageError[] = []
    const list = readable([good, bad, { ...good, id: 3 }], rows.toKey, (error) => told.push(error))
    expect(list.map(({ id }) => id)).toEqual([1, 3])
    expect(told.map(({ message }) => message)).toEqual(['Unreadable "scopes" in row 2'])
    expect(readable([bad, good], rows.toKey).map(({ id }) => id)).toEqual([1])
  })

  it('does not hide another error', () => {
    const broken = (): never => {
      throw new TypeError('a mistake')
    }
    expect(() => readable([good], broken)).toThrow('a mistake')
  })
})

describe('what is written', () => {
  it('are the objects of an account that a change names', () => {
    expect(rows.accountObjects({ quotas: { monitors: 5 }, monitor_defaults: {} })).toEqual({
      quotas: '{"monitors":5}',
      monitor_defaults: '{}',
    })
    expect(rows.accountObjects({})).toEqual({ quotas: undefined, monitor_defaults: undefined })
  })

  it('are the totals of an hour without the columns that find it', () => {
    const totals = { ok: 1, fail: 0 }
    const text = rows.hourTotals({ location_id: 1, hour: 7, ...totals } as never)
    expect(JSON.parse(text)).toEqual(totals)
  })

  it('are all columns of a monitor', () => {
    expect(rows.MONITOR_COLUMNS.split(', ')).toEqual([
      ...['id', 'account_id', 'type', 'common', 'settings', 'target', 'machine', 'token_hash'],
      ...['token', 'version', 'revision', 'created_at', 'updated_at'],
    ])
  })
})

describe('totals that are stored', () => {
  const totals = {
    ...{ ok: 3, fail: 0, unknown: 0, degraded: 0, ok_ms: 300, min_ms: 90, max_ms: 110 },
    ...{ latency: [8, 3], phases: { connect: [1, 2] }, figures: { load: [1, 2, 3, 4] } },
  }
  const hour = (change: object): Row => ({
    ...{ monitor_id: 3, location_id: 1, hour: 0 },
    totals: JSON.stringify({ ...totals, ...change }),
  })

  it('of an hour are read', () => {
    expect(rows.toHourly(hour({}))).toMatchObject({ monitor_id: 3, latency: [8, 3] })
  })

  it.each([
    ...[{ ok: null }, { fail: '1' }, { unknown: null }],
    ...[{ latency: 5 }, { latency: [8, null] }, { latency: [null, 3] }, { latency: {} }],
    ...[{ phases: null }, { phases: [] }, { figures: null }, { figures: 'x' }],
  ])('of an hour are told if they cannot be added to: %j', (change) => {
    expect(() => rows.toHourly(hour(change))).toThrow('Unreadable "totals" in row 3')
  })

  it('of a day are told if a bucket has no number', () => {
    const day = (latency: string): Row => ({ monitor_id: 3, day: '2026-01-01', latency })
    expect(rows.toDaily(day('{"8":3,"9":1}'))).toMatchObject({ latency: { '8': 3, '9': 1 } })
    for (const latency of ['{"8":null}', '{"8":3,"9":"1"}', '{'])
      expect(() => rows.toDaily(day(latency))).toThrow('Unreadable "latency" in row 3')
  })

  it('a change of availability is one that is known, or to unknown, which is told', () => {
    const told: string[] = []
    const words = ['up', 'degraded', 'down', 'unknown', 'paused', 'maintenance', 'odd']
    const stored = words.map((availability, at) => ({
      id: at + 1,
      monitor_id: 3,
      at,
      availability,
    }))
    const read = rows.toChanges(stored, ({ message }) => void told.push(message))
    expect(read.map(({ availability }) => availability)).toEqual([...words.slice(0, -1), 'unknown'])
    expect(told).toEqual(['Unreadable "availability" in row 7'])
    expect(rows.toChanges(stored)).toHaveLength(7)
  })

  it('a state of a location whose last outcome has no form is told', () => {
    const state = { monitor_id: 3, location_id: 1, consecutive_fails: 0, memo: null }
    const last = JSON.stringify({ ...outcome({}), phases: 5 })
    expect(() => rows.toLocationState({ ...state, last })).toThrow('Unreadable "last" in row 3')
  })
})
