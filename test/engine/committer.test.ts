import { describe, expect, it } from 'vitest'
import { createCommitter } from '../../src/engine/commit/committer.ts'
import { NotFoundError, StorageError, UnreadableError } from '../../src/errors.ts'
import type { Change, Committed } from '../../src/store/store.ts'
import { simulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'

const round = (monitor_id: number): Change => ({
  monitor_id,
  revision: 1,
  at: 0,
  results: [{} as never],
  notify: [],
})

const outage = (monitor_id: number): Change => ({
  ...round(monitor_id),
  open_incident: {} as never,
})

const telling = (monitor_id: number, contacts: number): Change => ({
  ...outage(monitor_id),
  notify: Array.from({ length: contacts }, () => ({}) as never),
})

interface Rig {
  readonly committer: Omit<ReturnType<typeof createCommitter>, 'commit'> & {
    /** Of the first account where nothing else is said. */
    commit(
      change: Change,
      options?: { readonly account_id?: number; readonly deferrable?: boolean },
    ): Promise<Committed>
  }
  readonly clock: SimulatedClock
  /** The monitors of each commit. */
  readonly groups: number[][]
  openRounds: number
}

function rig(fail?: (changes: readonly Change[]) => Error | undefined): Rig {
  const clock = simulatedClock()
  const groups: number[][] = []
  const committer = createCommitter({
    clock,
    openRounds: () => made.openRounds,
    store: {
      commit(changes) {
        const error = fail?.(changes)
        if (error !== undefined) return Promise.reject(error)
        groups.push(changes.map(({ monitor_id }) => monitor_id))
        return Promise.resolve(
          changes.map(
            ({ monitor_id }) => ({ ok: true, version: monitor_id }) as unknown as Committed,
          ),
        )
      },
    },
  })
  const made: Rig = {
    clock,
    groups,
    openRounds: 0,
    committer: {
      ...committer,
      commit: (change, options) => committer.commit(change, { account_id: 1, ...options }),
    },
  }
  return made
}

describe('what is stored together', () => {
  it('a lone round is stored at once', async () => {
    const { committer, groups } = rig()
    await committer.commit(round(1))
    expect(groups).toEqual([[1]])
  })

  it('a good round waits a few milliseconds for others that are under way', async () => {
    const { committer, clock, groups } = rigWith(3)
    const both = Promise.all([committer.commit(round(1)), committer.commit(round(2))])
    await clock.settle()
    expect(groups).toEqual([])
    await clock.advance(5)
    expect(await both).toMatchObject([{ version: 1 }, { version: 2 }])
    expect(groups).toEqual([[1, 2]])
  })

  it('the last one that was under way takes the others with it', async () => {
    const { committer, clock, groups } = rigWith(2)
    void committer.commit(round(1))
    await clock.settle()
    await committer.commit(round(2))
    expect(groups).toEqual([[1, 2]])
    expect(clock.pending).toBe(0)
  })

  it('an outage waits for nobody, and what came before it stays before it', async () => {
    const { committer, clock, groups } = rigWith(9)
    void committer.commit(round(1))
    await clock.settle()
    await committer.commit(outage(2))
    expect(groups).toEqual([[1, 2]])
  })

  it('what a person asked for waits for nobody', async () => {
    const { committer, groups } = rigWith(9)
    await committer.commit({ monitor_id: 1, revision: 1, at: 0 })
    expect(groups).toEqual([[1]])
  })

  it('what tells many contacts goes into transactions of 256 rows, at least one change in each', async () => {
    const { committer, groups } = rig()
    const contacts = [100, 100, 100, 1000, 10]
    await Promise.all(contacts.map((count, id) => committer.commit(telling(id, count))))
    expect(groups).toEqual([[0, 1], [2], [3], [4]])
  })

  it('what cancels notifications, of which it does not know the number, goes into small transactions', async () => {
    const { committer, groups } = rig()
    const cancel = { scope: 'all', reason: 'recovered' } as const
    const ids = Array.from({ length: 30 }, (_, id) => id)
    await Promise.all(ids.map((id) => committer.commit({ ...outage(id), cancel })))
    expect(groups.map(({ length }) => length)).toEqual([11, 11, 8])
  })

  it('accounts take turns, also where each has more than one transaction takes', async () => {
    const { committer, groups } = rig()
    const of = (account_id: number, ...ids: readonly number[]) =>
      ids.map((id) => committer.commit(telling(id, 100), { account_id }))
    await Promise.all([
      ...of(1, 10, 11, 12, 13, 14, 15),
      ...of(2, 20, 21, 22),
      committer.commit(round(30), { account_id: 3 }),
    ])
    expect(groups).toEqual([[10, 20, 30], [11, 21], [12, 22], [13, 14], [15]])
  })

  it('at most 128 changes go into one transaction, of all accounts together', async () => {
    const { committer, groups } = rigWith(1000)
    const ids = Array.from({ length: 200 }, (_, id) => id)
    await Promise.all(ids.map((id) => committer.commit(outage(id), { account_id: id % 3 })))
    expect(groups.map(({ length }) => length)).toEqual([128, 72])
  })

  it('at most 128 changes go into one transaction', async () => {
    const { committer, groups } = rigWith(1000)
    await Promise.all(Array.from({ length: 128 }, (_, id) => committer.commit(round(id))))
    expect(groups.map(({ length }) => length)).toEqual([128])
  })

  it('a commit that fails fails each of its changes, and the next one is tried', async () => {
    let broken = true
    const { committer, groups } = rig(() => (broken ? new StorageError('full') : undefined))
    const ends = await Promise.allSettled([committer.commit(round(1)), committer.commit(round(2))])
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    broken = false
    await committer.commit(round(3))
    expect(groups).toEqual([[3]])
  })

  it.each([
    new UnreadableError('Unreadable "totals" in row 3'),
    new NotFoundError('account'),
    new StorageError('refused', { cause: new TypeError('no number') }),
  ])('a change that meets a damaged row is refused alone: %s', async (error) => {
    const { committer, groups } = rig((changes) =>
      changes.some(({ monitor_id }) => monitor_id === 3) ? error : undefined,
    )
    const changes = [1, 2, 3, 4, 5].map((id) => committer.commit(round(id)))
    const ends = await Promise.allSettled(changes)
    expect(ends.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(ends[2]).toEqual({ status: 'rejected', reason: error })
    expect(groups).toEqual([
      [1, 2],
      [4, 5],
    ])
  })

  it('nothing is left waiting once it is drained', async () => {
    const { committer, clock, groups } = rigWith(9)
    const stored = committer.commit(round(1))
    await committer.drain()
    await stored
    expect(groups).toEqual([[1]])
    expect(clock.pending).toBe(0)
  })
})

describe('rounds that nobody waits for', () => {
  const deferrable = { deferrable: true }

  it('are stored four times a second, the first one at once', async () => {
    const { committer, clock, groups } = rig()
    await committer.commit(round(1), deferrable)
    const others = Promise.all([committer.commit(round(2), deferrable), later()])
    await clock.advance(249)
    expect(groups).toEqual([[1]])
    await clock.advance(1)
    await others
    expect(groups).toEqual([[1], [2, 3]])
    await clock.advance(250)
    await committer.commit(round(4), deferrable)
    expect(groups).toEqual([[1], [2, 3], [4]])

    async function later(): Promise<void> {
      await clock.sleep(100)
      await committer.commit(round(3), deferrable)
    }
  })

  it.each([
    ['an outage', outage(3)],
    ['what a person asked for', { ...round(3), results: [] }],
  ])('go with %s, before it', async (_what, urgent) => {
    const { committer, clock, groups } = rig()
    await committer.commit(round(1), deferrable)
    void committer.commit(round(2), deferrable)
    await clock.settle()
    await committer.commit(urgent)
    expect(groups).toEqual([[1], [2, 3]])
    expect(clock.pending).toBe(0)
  })

  it('that wait for a few milliseconds do so still', async () => {
    const { committer, clock, groups } = rigWith(9)
    await committer.commit(round(1), deferrable)
    const both = Promise.all([committer.commit(round(2), deferrable), committer.commit(round(3))])
    await clock.advance(5)
    await both
    expect(groups).toEqual([[1], [2, 3]])
  })

  it('are stored when somebody waits after all, or nothing is to come any more', async () => {
    const { committer, clock, groups } = rig()
    await committer.commit(round(1), deferrable)
    const second = committer.commit(round(2), deferrable)
    await clock.settle()
    committer.flush()
    await second
    const third = committer.commit(round(3), deferrable)
    await committer.drain()
    await third
    expect(groups).toEqual([[1], [2], [3]])
    expect(clock.pending).toBe(0)
  })

  it('do not wait for more than 128 of them', async () => {
    const { committer, groups } = rig()
    await committer.commit(round(0), deferrable)
    await Promise.all(
      Array.from({ length: 128 }, (_, id) => committer.commit(round(id), deferrable)),
    )
    expect(groups.map(({ length }) => length)).toEqual([1, 128])
  })
})

function rigWith(openRounds: number): Rig {
  const made = rig()
  made.openRounds = openRounds
  return made
}
