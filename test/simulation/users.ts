/** What people do to their monitors, at any moment. */
import type { Engine, MonitorInput } from '../../src/engine/api.ts'
import { SECRET } from './receivers.ts'
import { beginJob } from './jobs.ts'
import type { Target } from './targets.ts'
import { MINUTE } from './time.ts'
import { atTimes, listening, monitorIds, noteError } from './world.ts'
import type { World } from './world.ts'

interface Watched {
  readonly id: number
  readonly target: Target
}

/** Contacts and monitors of the beginning. */
export async function settle(world: World): Promise<void> {
  const engine = world.current!.engine
  for (const temper of ['calm', 'moody', 'dead', 'late'])
    await addContact(engine, `${temper}-1`, temper === 'calm' || temper === 'moody')
  let left = world.plan.monitors
  for (let i = 0; i < world.plan.lines && left > 1; i++) left -= await addLine(world, engine, left)
  for (; left > 0; left--) await addMonitor(world, engine)
  for (let i = 0; i < world.plan.heartbeats; i++) await addHeartbeat(world, engine)
}

async function addContact(engine: Engine, name: string, all_monitors: boolean): Promise<void> {
  const url = `https://192.0.2.1/${name}`
  await engine.contacts.create({ kind: 'webhook', name, url, secret: SECRET, all_monitors })
}

async function addMonitor(
  world: World,
  engine: Engine,
  given: Partial<MonitorInput> = {},
): Promise<Watched> {
  const host = `m${++world.made}.test`
  const target = world.targets.of(host)
  const { id } = await engine.monitors.create({
    type: 'simulated',
    name: host,
    host,
    ...(await settingsOf(world, engine)),
    ...given,
  })
  return { id, target }
}

/** Each one after the first is reached through one of those before it. Returns how many it has. */
async function addLine(world: World, engine: Engine, most: number): Promise<number> {
  const { dice } = world
  const line: Watched[] = []
  const length = Math.min(most, dice.int(3, 6))
  for (const _ of Array.from({ length })) {
    const parent = line.length === 0 ? undefined : dice.pick(line)
    const interval_sec = dice.pick([600, 1200, 1800])
    const depends_on = parent === undefined ? [] : [parent.id]
    const next = await addMonitor(world, engine, { interval_sec, depends_on })
    next.target.behind = parent?.target
    line.push(next)
  }
  return length
}

async function settingsOf({ dice, plan }: World, engine: Engine) {
  const some = (await engine.contacts.list()).filter(({ name }) => /^(dead|late)-1$/.test(name))
  const late = some.find(({ name }) => name === 'late-1')
  return {
    interval_sec: dice.weighted([
      [30, 1],
      [60, 2],
      [300, 12],
      [600, 40],
      [1200, 80],
      [1800, 100],
      [3600, 160],
    ]),
    timeout_ms: dice.pick([1000, 2000, 10_000]),
    fail_threshold: dice.pick([1, 2, 2, 3]),
    recover_threshold: dice.pick([1, 1, 2]),
    confirm_locations: dice.int(1, plan.locations.length),
    notify_repeat_min: dice.pick([0, 0, 15, 60]),
    notify_repeat_max: dice.pick([0, 2]),
    notify_recovery: dice.chance(0.9),
    contact_ids: some.filter(() => dice.chance(0.3)).map(({ id }) => id),
    contact_delay: late === undefined ? {} : { [String(late.id)]: 20 },
  }
}

async function addHeartbeat(world: World, engine: Engine): Promise<void> {
  const { dice } = world
  const interval_sec = dice.pick([300, 900, 3600])
  const view = await engine.monitors.create({
    type: 'heartbeat',
    name: `job ${++world.made}`,
    interval_sec,
    grace_sec: dice.pick([0, 60, 300]),
  })
  beginJob(world, { monitor_id: view.id, token: view.token!, period_ms: interval_sec * 1000 })
}

type Action = (world: World, engine: Engine, id: number) => Promise<unknown>

const ACTIONS: Readonly<Record<string, Action>> = {
  pause: (world, engine, id) => {
    world.clock.timer(world.dice.wait(20 * MINUTE), () => act(world, 'resume', id))
    return engine.monitors.pause(id)
  },
  resume: (_world, engine, id) => engine.monitors.resume(id),
  check: (_world, engine, id) => engine.monitors.check(id),
  queueCheck: (_world, engine, id) => engine.monitors.queueCheck(id),
  rename: ({ dice }, engine, id) => engine.monitors.update(id, { name: `name ${dice.int(1, 99)}` }),
  retime: async ({ dice }, engine, id) => {
    // The period of a heartbeat belongs to its job.
    if ((await engine.monitors.get(id)).type === 'heartbeat') return
    await engine.monitors.update(id, { interval_sec: dice.pick([120, 600, 1800]) })
  },
  retarget: ({ dice }, engine, id) =>
    engine.monitors.update(id, { secret: `secret ${dice.int(1, 99)}` }),
  rules: async (world, engine, id) => {
    const { fail_threshold, recover_threshold } = await settingsOf(world, engine)
    return engine.monitors.update(id, { fail_threshold, recover_threshold })
  },
  maintain: ({ dice, clock }, engine, id) => {
    const from = clock.now() + dice.int(0, 30) * MINUTE
    const start = new Date(from).toISOString()
    const end = new Date(from + dice.int(5, 180) * MINUTE).toISOString()
    const recurring = {
      at: `0${dice.int(0, 9)}:30`,
      duration_min: dice.int(20, 90),
      time_zone: 'Europe/Berlin',
    }
    const skip_checks = dice.chance(0.3)
    const maintenance = [{ start, end, skip_checks }, ...(dice.chance(0.3) ? [recurring] : [])]
    return engine.monitors.update(id, { maintenance })
  },
  depend: async (world, engine, id) => {
    const parent = world.dice.pick(await monitorIds(world))
    await engine.monitors.update(id, { depends_on: parent === id ? [] : [parent] })
  },
  calmFlaps: ({ dice }, engine, id) =>
    engine.monitors.update(id, { flap_detection: dice.chance(0.7) }),
  acknowledge: async ({ dice }, engine) => {
    const { items } = await engine.incidents.list({ open: true })
    if (items.length > 0) await engine.incidents.acknowledge(dice.pick(items).id)
  },
  remove: async (world, engine, id) => {
    await engine.monitors.remove(id)
    await addMonitor(world, engine)
  },
  addContact: async (world, engine, id) => {
    const { dice } = world
    const name = `${dice.pick(['calm', 'moody'])}-${++world.made}`
    await addContact(engine, name, dice.chance(0.5))
    const own = (await engine.contacts.list()).map((contact) => contact.id)
    await engine.monitors.update(id, { contact_ids: [dice.pick(own)] })
  },
  removeContact: async ({ dice }, engine) => {
    // Those of the beginning stay: the invariants count on somebody who hears.
    const removable = (await engine.contacts.list()).filter(({ name }) => !name.endsWith('-1'))
    if (removable.length > 0) await engine.contacts.remove(dice.pick(removable).id)
  },
  resend: async ({ dice }, engine, id) => {
    const { items } = await engine.notifications.list({ monitor_id: id })
    if (items.length > 0) await engine.notifications.resend(dice.pick(items).id)
  },
  test: async ({ dice }, engine) => {
    await engine.contacts.test(dice.pick(await engine.contacts.list()).id)
  },
  look: async (_world, engine, id) => {
    await engine.monitors.status(id)
    await engine.monitors.uptime(id, { days: 3 })
  },
}

const WEIGHTS: readonly (readonly [string, number])[] = [
  ['pause', 5],
  ['resume', 2],
  ['check', 5],
  ['queueCheck', 2],
  ['rename', 3],
  ['retime', 3],
  ['retarget', 3],
  ['rules', 2],
  ['maintain', 4],
  ['depend', 5],
  ['calmFlaps', 3],
  ['acknowledge', 3],
  ['remove', 1],
  ['addContact', 2],
  ['removeContact', 2],
  ['resend', 3],
  ['test', 2],
  ['look', 1],
]

export function beginActions(world: World): void {
  atTimes(world, world.plan.faults.actions, () => {
    void monitorIds(world).then((ids) => {
      if (ids.length > 0) act(world, world.dice.weighted(WEIGHTS), world.dice.pick(ids))
    })
  })
}

function act(world: World, what: string, id: number): void {
  const life = listening(world)
  if (life === undefined) return
  world.tape.add({ kind: 'asked', what, id })
  ACTIONS[what]!(world, life.engine, id).catch((error: unknown) => noteError(world, error))
}

/** Nothing stays paused or under maintenance. */
export async function resumeAll(world: World): Promise<void> {
  const monitors = world.current!.engine.monitors
  for (const id of await monitorIds(world)) {
    await monitors.update(id, { maintenance: [] })
    await monitors.resume(id)
  }
}
