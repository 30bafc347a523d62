import { strict as assert } from 'node:assert'
import type { AvailabilityChange, Phases } from '../../model.ts'
import type { ResultQuery } from '../../store/store.ts'
import { commitOne, HOUR, hour, ids, machine, MINUTE, monitor, on, result, T0 } from './case.ts'
import type { Case } from './case.ts'

export const resultCases: Readonly<Record<string, Case>> = {
  'a result is read back as it was written': async (store) => {
    const made = await store.monitors.create(monitor())
    const full = result({
      verdict: 'fail',
      cause_code: 'status',
      cause_text: 'Answered 500',
      phase: 'first_byte',
      duration_ms: 0.125,
      details: { status: 500, nested: { list: [1, null, true] } },
    })
    const bare = result({ phases: {}, remote_ip: null })
    const done = await commitOne(store, on(made, { results: [full, bare] }))
    const [first = 0, second = 0] = done.result_ids
    assert.ok(second > first)
    assert.deepEqual(await store.results.list({ monitor_id: made.id, limit: 9 }), [
      { ...bare, id: second, monitor_id: made.id },
      { ...full, id: first, monitor_id: made.id },
    ])
  },

  'every phase is kept by its name': async (store) => {
    const made = await store.monitors.create(monitor())
    const every: Required<Phases> = {
      resolve_ms: 0,
      connect_ms: 1.5,
      tls_ms: 2,
      starttls_ms: 3,
      greeting_ms: 4,
      send_ms: 5,
      auth_ms: 6,
      query_ms: 7,
      first_byte_ms: 8,
      transfer_ms: 9.875,
    }
    const own = { 'say; hello, = %_ms': 10.5, handshake_ms: 0 }
    const single = Object.entries({ ...every, ...own }).map(([name, ms]) => ({ [name]: ms }))
    await commitOne(
      store,
      on(made, {
        results: [every, { ...every, ...own }, ...single].map((phases) => result({ phases })),
      }),
    )
    const read = await store.results.list({ monitor_id: made.id, order: 'asc', limit: 99 })
    assert.deepEqual(
      read.map(({ phases }) => phases),
      [every, { ...every, ...own }, ...single],
    )
  },

  'results are filtered by location, verdict and time': async (store) => {
    const made = await store.monitors.create(monitor())
    const other = await store.monitors.create(monitor())
    await commitOne(store, on(other, { results: [result()] }))
    const at = (minute: number, change = {}) =>
      result({ started_at: T0 + minute * MINUTE, ...change })
    const done = await commitOne(
      store,
      on(made, {
        results: [
          at(0),
          at(1, { location_id: 2 }),
          at(2, { verdict: 'fail' }),
          at(3, { location_id: 2, verdict: 'unknown' }),
        ],
      }),
    )
    const [a, b, c, d] = done.result_ids
    const listed = async (query: Partial<ResultQuery>) =>
      ids(await store.results.list({ monitor_id: made.id, limit: 100, ...query }))
    assert.deepEqual(await listed({}), [d, c, b, a])
    assert.deepEqual(await listed({ order: 'asc' }), [a, b, c, d])
    assert.deepEqual(await listed({ location_id: 2 }), [d, b])
    assert.deepEqual(await listed({ verdict: 'fail' }), [c])
    assert.deepEqual(await listed({ verdict: 'unknown', location_id: 1 }), [])
    assert.deepEqual(await listed({ from: T0 + MINUTE, to: T0 + 3 * MINUTE }), [c, b])
  },

  'results are paged in both directions': async (store) => {
    const made = await store.monitors.create(monitor())
    const results = Array.from({ length: 5 }, () => result())
    const [a, b, c, d, e] = (await commitOne(store, on(made, { results }))).result_ids
    const page = async (query: Partial<ResultQuery>) =>
      ids(await store.results.list({ monitor_id: made.id, limit: 2, ...query }))
    assert.deepEqual(await page({}), [e, d])
    assert.deepEqual(await page({ after_id: d ?? 0 }), [c, b])
    assert.deepEqual(await page({ after_id: b ?? 0 }), [a])
    assert.deepEqual(await page({ order: 'asc' }), [a, b])
    assert.deepEqual(await page({ order: 'asc', after_id: b ?? 0 }), [c, d])
    assert.deepEqual(await page({ order: 'asc', after_id: e ?? 0 }), [])
  },
}

export const availabilityCases: Readonly<Record<string, Case>> = {
  'availability is listed with the change that held before': async (store) => {
    const made = await store.monitors.create(monitor())
    const other = await store.monitors.create(monitor())
    const entry = (minute: number, availability: AvailabilityChange['availability']) => ({
      at: T0 + minute * MINUTE,
      availability,
    })
    const written = [
      entry(0, 'unknown'),
      entry(1, 'up'),
      entry(3, 'down'),
      entry(3, 'paused'),
      entry(5, 'maintenance'),
    ]
    await commitOne(store, on(other, { availability: [entry(0, 'down')] }))
    await commitOne(store, on(made, { availability: written.slice(0, 2) }))
    await commitOne(store, on(made, { availability: written.slice(2) }))
    const expected = written.map((one) => ({ ...one, monitor_id: made.id }))
    const list = (from: number, to: number) =>
      store.availability.list(made.id, T0 + from * MINUTE, T0 + to * MINUTE)
    assert.deepEqual(await list(0, 9), expected)
    assert.deepEqual(await list(2, 5), expected.slice(1, 4))
    assert.deepEqual(await list(3, 5), expected.slice(1, 4))
    assert.deepEqual(await list(4, 5), expected.slice(3, 4))
    assert.deepEqual(await list(9, 10), expected.slice(4))
    assert.deepEqual(await list(-2, 0), [])
  },

  'availability that is asked for in parts misses no change': async (store) => {
    const made = await store.monitors.create(monitor())
    const availability = Array.from({ length: 7 }, (_, minute) => ({
      at: T0 + minute * MINUTE,
      availability: minute % 2 === 0 ? ('up' as const) : ('down' as const),
    }))
    await commitOne(store, on(made, { availability }))
    const expected = availability.map((one) => ({ ...one, monitor_id: made.id }))
    const seen: AvailabilityChange[] = []
    for (let from = T0 + MINUTE; from <= T0 + 6 * MINUTE; from = (seen.at(-1)?.at ?? from) + 1) {
      const [before, ...within] = await store.availability.list(made.id, from, T0 + 9 * MINUTE, 2)
      if (seen.length === 0) seen.push(...(before === undefined ? [] : [before]))
      else assert.deepEqual(before, seen.at(-1))
      assert.ok(within.length > 0 && within.length <= 2)
      seen.push(...within)
    }
    assert.deepEqual(seen, expected)
  },
}

export const dailyCases: Readonly<Record<string, Case>> = {
  'daily statistics add up': async (store) => {
    const made = await store.monitors.create(monitor())
    const day = '2026-03-01'
    const stats = { day, ok: 1, fail: 2, unknown: 3, ok_ms: 10.5, latency: { '4': 1, '9': 2 } }
    await commitOne(store, on(made, { daily: [stats, { ...stats, latency: { '9': 1, '11': 5 } }] }))
    await commitOne(store, on(made, { daily: [{ ...stats, day: '2026-03-03' }, stats] }))
    assert.deepEqual(await store.daily.list(made.id, '2026-02-01', '2026-03-03'), [
      {
        monitor_id: made.id,
        day,
        ok: 3,
        fail: 6,
        unknown: 9,
        ok_ms: 31.5,
        latency: { '4': 2, '9': 5, '11': 5 },
      },
      { ...stats, monitor_id: made.id, day: '2026-03-03' },
    ])
  },

  'days are listed within both ends, oldest first': async (store) => {
    const made = await store.monitors.create(monitor())
    const counts = { ok: 1, fail: 0, unknown: 0, ok_ms: 1, latency: {} }
    const days = ['2026-03-02', '2026-02-28', '2026-03-01', '2026-03-04']
    await commitOne(store, on(made, { daily: days.map((day) => ({ day, ...counts })) }))
    const listed = await store.daily.list(made.id, '2026-03-01', '2026-03-03')
    assert.deepEqual(
      listed.map(({ day }) => day),
      ['2026-03-01', '2026-03-02'],
    )
    assert.deepEqual(await store.daily.list(made.id + 1, '2000-01-01', '2100-01-01'), [])
  },
}

export const hourlyCases: Readonly<Record<string, Case>> = {
  'hourly totals add up by location': async (store) => {
    const made = await store.monitors.create(monitor())
    const later = hour({
      ...{ ok: 4, ok_ms: 30.25, min_ms: 7, max_ms: 99.5, latency: [-1, 5, 0, 0, 0, 0, 0, 1, 7] },
      phases: { connect_ms: 2, tls_ms: 3.5 },
      figures: { loss_pct: [2, 1, 0, 1], load: [1, 2, 2, 2] },
    })
    const elsewhere = hour({ location_id: 2, min_ms: null, max_ms: null, latency: [] })
    await commitOne(store, on(made, { hourly: [hour(), elsewhere] }))
    await commitOne(store, on(made, { hourly: [later] }))
    const monitor_id = made.id
    assert.deepEqual(await store.hourly.list(made.id, T0, T0 + HOUR), [
      {
        ...{ monitor_id, location_id: 1, hour: T0, ok: 5, fail: 4, unknown: 6, degraded: 2 },
        ...{ ok_ms: 40.75, min_ms: 7, max_ms: 99.5 },
        latency: [-1, 5, 0, 0, 0, 0, 1, 1, 9],
        phases: { connect_ms: 3.25, tls_ms: 3.5 },
        figures: { loss_pct: [3, 6, 0, 5], load: [1, 2, 2, 2] },
      },
      { ...elsewhere, monitor_id },
    ])
  },

  'hours are listed from the first to before the last, and go with their monitor': async (
    store,
  ) => {
    const made = await store.monitors.create(monitor())
    const other = await store.monitors.create(monitor())
    const at = (hours: number, location_id = 1) => hour({ hour: T0 + hours * HOUR, location_id })
    await commitOne(store, on(made, { hourly: [at(2), at(1, 3), at(0), at(1, 2), at(3)] }))
    await commitOne(store, on(other, { hourly: [at(1)] }))
    const listed = await store.hourly.list(made.id, T0 + HOUR, T0 + 3 * HOUR)
    assert.deepEqual(
      listed.map((stats) => [(stats.hour - T0) / HOUR, stats.location_id]),
      [
        [1, 2],
        [1, 3],
        [2, 1],
      ],
    )
    await commitOne(store, on(made, { remove: true }))
    assert.deepEqual(await store.hourly.list(made.id, 0, T0 * 2), [])
    assert.equal((await store.hourly.list(other.id, 0, T0 * 2)).length, 1)
  },

  'the hour that goes on is part of the machine': async (store) => {
    const made = await store.monitors.create(monitor())
    const { location_id: _, hour: at, ...counts } = hour()
    const going = machine({ hour: { hour: at, locations: { '1': counts } } })
    await commitOne(store, on(made, { machine: going }))
    assert.deepEqual((await store.monitors.get(made.id))?.machine, going)
  },
}
