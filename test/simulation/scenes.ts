/** Turns of events that chance alone brings about too rarely, played from beginning to end. */
import type { AccountScope } from '../../src/engine/api/engine.ts'
import type { MonitorRecord } from '../../src/model.ts'
import { absentFor } from './lives.ts'
import { fallSilent } from './preferences.ts'
import { sample } from './samples.ts'
import { repair } from './targets.ts'
import type { Target } from './targets.ts'
import { DAY, MINUTE, SECOND } from './time.ts'
import { act } from './users.ts'
import { listening, monitorsOf, noteError } from './world.ts'
import type { World } from './world.ts'

interface Scene {
  readonly world: World
  readonly account: AccountScope
  readonly record: MonitorRecord
  readonly target: Target
}

const SCENES = [workEndsDuringCheck, shortNight, absence, outage] as const

/** With dice of their own, so that all else stays as it is. */
export function beginScenes(world: World): void {
  const { plan, clock, scenes } = world
  if (plan.faults.scenes === 0) return
  clock.timer(scenes.wait(DAY / plan.faults.scenes), () => {
    if (world.calm) return
    play(world).catch((error: unknown) => noteError(world, error))
    beginScenes(world)
  })
}

async function play(world: World): Promise<void> {
  const { scenes, targets } = world
  const scene = scenes.pick(SCENES)
  const all = await monitorsOf(world)
  const own = all.filter(({ token_hash, machine }) => token_hash === null && machine.state === 'up')
  const life = listening(world)
  if (own.length === 0 || life === undefined) return
  const record = scenes.pick(own)
  const account = life.engine.account(record.account_id)
  const { host } = record.settings
  if (typeof host !== 'string') return
  const target = targets.of(host)
  if (target.state !== 'good' || target.blind) return
  world.tape.add({ kind: 'asked', what: scene.name, id: record.id })
  await scene({ world, account, record, target })
}

/** A check begins in planned work, of a target that does not answer, and ends behind it. */
async function workEndsDuringCheck({ world, account, record, target }: Scene): Promise<void> {
  const { clock, scenes } = world
  const { id, common } = record
  const [now, ms] = [clock.now(), scenes.int(1, 10) * MINUTE]
  const window = { start: new Date(now).toISOString(), end: new Date(now + ms).toISOString() }
  await account.monitors.update(id, { maintenance: [{ ...window, skip_checks: false }] })
  const half_ms = Math.floor(common.timeout_ms / 2)
  clock.timer(ms - half_ms, () => {
    if (world.calm || target.state !== 'good') return
    Object.assign(target, { state: 'hangs', seenFrom: undefined })
    clock.timer(common.timeout_ms, () => repair(target))
    act(world, 'check', record)
  })
}

/** An outage of a monitor whose recovery is not to be told begins and ends in the quiet hours of a contact. */
async function shortNight({ world, account, record, target }: Scene): Promise<void> {
  const { clock } = world
  const { id, common } = record
  if (!(await fallSilent(world, account))) return
  await account.monitors.update(id, { notify_recovery: false })
  Object.assign(target, { state: 'broken', seenFrom: undefined })
  for (let n = 1; n <= common.fail_threshold; n++)
    clock.timer(n * MINUTE, () => act(world, 'check', record))
  clock.timer(10 * MINUTE, () => repair(target))
  for (let n = 1; n <= common.recover_threshold; n++)
    clock.timer((10 + n) * MINUTE, () => act(world, 'check', record))
}

/** Between two failing rounds no engine runs, for more than ten intervals. */
async function absence({ world, account, record, target }: Scene): Promise<void> {
  const { clock, scenes, machines } = world
  await account.monitors.update(record.id, { interval_sec: 60, fail_threshold: 3 })
  Object.assign(target, { state: 'broken', seenFrom: undefined })
  act(world, 'check', record)
  const away_ms = scenes.int(11, 30) * MINUTE
  clock.timer(2 * SECOND, () => {
    if (world.calm) return
    for (const machine of machines) absentFor(world, machine, away_ms)
  })
  clock.timer(away_ms + 10 * MINUTE, () => {
    repair(target)
    retime(world, record)
  })
}

/** Nothing can be stored for many intervals, and then somebody looks how its monitors are. */
async function outage({ world, account, record }: Scene): Promise<void> {
  const { clock, trouble } = world
  await account.monitors.update(record.id, { interval_sec: 60 })
  clock.timer(5 * MINUTE, () => {
    if (!world.calm) trouble.outage(20 * MINUTE)
  })
  clock.timer(24 * MINUTE, () => {
    if (!world.calm) sample(world)
  })
  clock.timer(40 * MINUTE, () => retime(world, record))
}

/** A monitor gets its own interval again. */
function retime(world: World, { id, account_id, common }: MonitorRecord): void {
  const monitors = listening(world)?.engine.account(account_id).monitors
  monitors
    ?.update(id, { interval_sec: common.interval_sec })
    .catch((error: unknown) => noteError(world, error))
}
