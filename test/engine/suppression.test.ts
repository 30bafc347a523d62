import { describe, expect, it } from 'vitest'
import { NotFoundError, StorageError } from '../../src/errors.ts'
import { suppressionOf } from '../../src/engine/rounds/suppression.ts'
import type { CachedMonitor } from '../../src/engine/monitors/cached-monitor.ts'
import type { MachineState, Suppression } from '../../src/model.ts'
import { incident, machine, monitor } from '../../src/testing/store-suite/case.ts'

const CHILD = 1
const { started_at } = incident()

function openIncident(suppression?: Suppression): NonNullable<MachineState['incident']> {
  const open = { id: 1, started_at, cause_code: 'timeout', held: undefined }
  return suppression === undefined ? open : { ...open, suppression }
}
const failing = (change: Partial<MachineState> = {}): MachineState =>
  machine({ state: 'down', incident: openIncident(), ...change })
const suppressedBy = (by: number): MachineState =>
  failing({ incident: openIncident({ reason: 'dependency', by, rounds: 0 }) })

interface Given {
  readonly state: MachineState
  readonly depends_on?: readonly number[]
  readonly push?: object
}

function entry(id: number, { state, depends_on = [], push }: Given): CachedMonitor {
  const { common, ...rest } = monitor({ machine: state })
  const record = { ...rest, id, common: { ...common, depends_on } }
  return { record, type: { checker: { push } } } as unknown as CachedMonitor
}

/** What is found for a monitor with these parents. */
async function found(
  parents: Readonly<Record<number, Given | Error>>,
  state: MachineState = failing(),
): Promise<Suppression | undefined> {
  const depends_on = Object.keys(parents).map(Number)
  return among(parents, depends_on, state)
}

function among(
  monitors: Readonly<Record<number, Given | Error>>,
  depends_on: readonly number[],
  state: MachineState = failing(),
): Promise<Suppression | undefined> {
  const get = (id: number): Promise<CachedMonitor> => {
    const one = monitors[id]
    if (one instanceof Error) return Promise.reject(one)
    if (one === undefined) return Promise.reject(new NotFoundError('monitor'))
    return Promise.resolve(entry(id, one))
  }
  return suppressionOf({ get }, entry(CHILD, { state, depends_on }), state)
}

const up = machine({ state: 'up', last_round_at: started_at })
const unlooked = machine({ state: 'up', last_round_at: started_at - 1 })
const because = (by: number | null, rounds = 0) => ({ reason: 'dependency', by, rounds })

describe('the notification of a failure', () => {
  it('is not held back without an incident, or without a parent', async () => {
    expect(await found({ 2: { state: failing() } }, failing({ incident: null }))).toBeUndefined()
    expect(await found({})).toBeUndefined()
  })

  it('is held back while the state changes too often', async () => {
    const flapping = failing({ flapping: true })
    expect(await found({}, flapping)).toEqual({ reason: 'flapping', by: null, rounds: 0 })
    expect(await found({}, failing({ flapping: false }))).toBeUndefined()
  })

  it('is held back by the parent that explains it', async () => {
    expect(await found({ 2: { state: up }, 3: { state: failing() } })).toEqual(because(3))
    expect(await found({ 2: { state: up } })).toBeUndefined()
    const planned = machine({ state: 'maintenance' })
    expect(await found({ 2: { state: planned } })).toEqual(because(2))
  })

  it('counts the rounds for which it is held back', async () => {
    const held = failing({ incident: openIncident({ reason: 'dependency', by: 2, rounds: 4 }) })
    expect(await found({ 2: { state: failing() } }, held)).toEqual(because(2, 5))
  })

  it('waits for two rounds for a parent that was not looked at since', async () => {
    const waiting = (rounds: number) =>
      failing({ incident: openIncident({ reason: 'dependency', by: null, rounds }) })
    expect(await found({ 2: { state: unlooked } })).toEqual(because(null))
    expect(await found({ 2: { state: unlooked }, 3: { state: up } })).toEqual(because(null))
    expect(await found({ 2: { state: unlooked } }, waiting(0))).toEqual(because(null, 1))
    expect(await found({ 2: { state: unlooked } }, waiting(1))).toBeUndefined()
    // One that nobody can look at on demand is not waited for.
    expect(await found({ 2: { state: unlooked, push: {} } })).toBeUndefined()
  })

  it('is not held back by a parent that is gone; for one that cannot be read it waits', async () => {
    expect(await found({ 2: new NotFoundError('monitor') })).toBeUndefined()
    const unreadable = new StorageError('no answer')
    expect(await found({ 2: unreadable })).toEqual(because(null))
    expect(await found({ 2: unreadable, 3: { state: failing() } })).toEqual(because(3))
    expect(await found({ 2: unreadable, 3: new NotFoundError('monitor') })).toEqual(because(null))
  })

  it('is not held back by a parent that is itself held back by it, however far around', async () => {
    const circle = { 2: { state: suppressedBy(CHILD) } }
    expect(await among(circle, [2])).toBeUndefined()
    const far = { 2: { state: suppressedBy(3) }, 3: { state: suppressedBy(CHILD) } }
    expect(await among(far, [2])).toBeUndefined()
    // Another parent may still explain it.
    expect(await among({ ...circle, 3: { state: failing() } }, [2, 3])).toEqual(because(3))
  })

  it('is held back by a parent whose own parent explains it, or is gone', async () => {
    const chain = { 2: { state: suppressedBy(3) }, 3: { state: failing() } }
    expect(await among(chain, [2])).toEqual(because(2))
    expect(await among({ 2: { state: suppressedBy(3) } }, [2])).toEqual(because(2))
    const recovered = { 2: { state: suppressedBy(3) }, 3: { state: up } }
    expect(await among(recovered, [2])).toEqual(because(2))
  })

  it('is told at the end of a chain of more than twenty', async () => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, n) => [
          n + 2,
          { state: n + 1 === length ? failing() : suppressedBy(n + 3) },
        ]),
      )
    expect(await among(chain(21), [2])).toEqual(because(2))
    expect(await among(chain(22), [2])).toBeUndefined()
  })
})
