import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { LocationState, Outcome, ResultRecord } from '../../src/model.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import type { Change, FullStore } from '../../src/store/store.ts'
import { firstAccount, monitor, result, T0 } from '../../src/testing/store-suite/case.ts'

const directory = mkdtempSync(join(tmpdir(), 'watchpost-locations-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

type NewResult = Omit<ResultRecord, 'id' | 'monitor_id'>

/** An outcome and the result that the engine makes of it: the objects in it are the same ones. */
function checked(change: Partial<Outcome> = {}): { last: Outcome; stored: NewResult } {
  const last: Outcome = {
    verdict: 'ok',
    cause_code: null,
    cause_text: null,
    phase: null,
    started_at: new Date(T0 + 7).toISOString(),
    duration_ms: 12.75,
    phases: { resolve_ms: 0.5, first_byte_ms: 9 },
    remote_ip: '192.0.2.1',
    details: { status: 200 },
    ...change,
  }
  const started_at = Date.parse(last.started_at)
  return { last, stored: { ...last, location_id: 1, round: T0, started_at, lag_ms: 0 } }
}

let files = 0

async function watched() {
  const store: FullStore = sqliteStore({ file: join(directory, `${++files}.db`) })
  await store.open()
  await firstAccount(store)
  const { id: monitor_id, revision: first } = await store.monitors.create(
    monitor({ account_id: 1 }),
  )
  let revision = first
  return {
    store,
    async commit(change: Partial<Change>): Promise<void> {
      const [done] = await store.commit([{ monitor_id, revision, at: T0, ...change }])
      expect(done?.ok).toBe(true)
      revision++
    },
    state: (change: Partial<LocationState>): LocationState => ({
      monitor_id,
      location_id: 1,
      last: null,
      consecutive_fails: 0,
      memo: null,
      ...change,
    }),
    async last(location_id = 1): Promise<Outcome | null | undefined> {
      const states = await store.monitors.locations([monitor_id])
      return states.find((state) => state.location_id === location_id)?.last
    },
    prune: (results_before: number) =>
      store.prune({
        results_before,
        notifications_before: 0,
        history_before: 0,
        hours_before: 0,
        audit_before: 0,
        revoked_before: 0,
        idempotency_before: 0,
        limit: 10,
      }),
  }
}

describe('the last outcome of a location in an SQLite file', () => {
  it('is the newest result, field by field', async () => {
    const { store, commit, state, last } = await watched()
    const bad = { verdict: 'fail', cause_code: 'connect_refused', phase: 'connect' } as const
    for (const each of [checked(), checked({ ...bad, cause_text: 'refused', remote_ip: null })]) {
      await commit({ results: [each.stored], locations: [state({ last: each.last })] })
      expect(await last()).toEqual(each.last)
    }
    await store.close()
  })

  it('outlives its result', async () => {
    const { store, commit, state, last, prune } = await watched()
    const [old, late] = [checked(), checked({ started_at: new Date(T0 + 90).toISOString() })]
    const away = { ...old.stored, location_id: 2 }
    await commit({
      results: [old.stored, away],
      locations: [state({ last: old.last }), state({ location_id: 2, last: old.last })],
    })
    await commit({ results: [late.stored], locations: [state({ last: late.last })] })
    expect(await prune(T0 + 50)).toBe(2)
    expect(await last(2)).toEqual(old.last)
    expect(await prune(T0 + 100)).toBe(1)
    expect(await last(1)).toEqual(late.last)

    const next = checked({ duration_ms: 3 })
    await commit({ results: [next.stored], locations: [state({ last: next.last })] })
    expect(await last(1)).toEqual(next.last)
    await store.close()
  })

  it('is what was said of it where the newest result says something else', async () => {
    const { store, commit, state, last } = await watched()
    const first = checked()
    const other = checked({ ...first.last, duration_ms: 99 })
    await commit({ results: [other.stored], locations: [state({ last: first.last })] })
    expect(await last()).toEqual(first.last)
    await commit({ locations: [state({ last: other.last })] })
    expect(await last()).toEqual(other.last)
    await commit({ locations: [state({ last: null })] })
    expect(await last()).toBeNull()
    await store.close()
  })

  it('stays when a result is stored that is not told to be its last', async () => {
    const { store, commit, state, last } = await watched()
    const first = checked()
    await commit({ results: [first.stored], locations: [state({ last: first.last })] })
    await commit({ results: [result({ duration_ms: 500 })] })
    expect(await last()).toEqual(first.last)
    await store.close()
  })
})
