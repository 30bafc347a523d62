/** The beginning of a world: accounts, and what they have. */
import { FIRST_ACCOUNT } from '../../src/model.ts'
import type { AccountScope } from '../../src/engine/api/engine.ts'
import type { MonitorInput } from '../../src/engine/api/inputs.ts'
import { beginJob } from './jobs.ts'
import { addPatient, tagsOf } from './preferences.ts'
import { SECRET } from './receivers.ts'
import type { Watched } from './targets.ts'
import { firstEngine } from './world.ts'
import type { World } from './world.ts'

/** Monitors of a guest, at most. */
const GUESTS_OWN = 8

/** On each of them an account has two checks at the same time. */
const SHARED_HOSTS = ['shared-1.test', 'shared-2.test', 'shared-3.test', 'shared-4.test'] as const

/** Accounts, contacts and monitors of the beginning. */
export async function settle(world: World): Promise<void> {
  const { plan, guests } = world
  const engine = firstEngine(world)
  let left = plan.monitors
  for (let tenant = 2; tenant <= plan.tenants; tenant++) {
    const { id } = await engine.accounts.create({ name: `tenant ${tenant}` })
    const account = engine.account(id)
    await addContacts(world, account)
    const own: Watched[] = []
    const most = Math.min(GUESTS_OWN, Math.floor(plan.monitors / (plan.tenants + 1)))
    while (own.length < most) own.push(await addGuest(world, account, own.length))
    guests.set(id, own)
    left -= own.length
  }
  const account = engine.account(FIRST_ACCOUNT)
  await addContacts(world, account)
  for (let i = 0; i < plan.lines && left > 1; i++) left -= await addLine(world, account, left)
  for (; left > 0; left--) await addMonitor(world, account)
  for (let i = 0; i < plan.heartbeats; i++) await addHeartbeat(world, account)
}

export async function addContact(
  account: AccountScope,
  name: string,
  all_monitors: boolean,
): Promise<void> {
  const url = `https://192.0.2.1/${name}`
  await account.contacts.create({ kind: 'webhook', name, url, secret: SECRET, all_monitors })
}

/** Those of every account. */
async function addContacts(world: World, account: AccountScope): Promise<void> {
  for (const temper of ['calm', 'moody', 'dead', 'late'])
    await addContact(account, `${temper}-1`, temper === 'calm' || temper === 'moody')
  await addPatient(world, account)
}

export async function addMonitor(
  world: World,
  account: AccountScope,
  given: Partial<MonitorInput> = {},
): Promise<Watched> {
  const host = `m${++world.made}.test`
  const target = world.targets.of(host)
  const { id } = await account.monitors.create({
    type: 'simulated',
    name: host,
    host,
    ...(world.guests.size > 0 && world.dice.chance(0.2)
      ? { server: world.dice.pick(SHARED_HOSTS) }
      : {}),
    ...(await settingsOf(world, account)),
    ...tagsOf(world),
    ...given,
  })
  return { account_id: account.account_id, id, target }
}

/** Of an account that shares its hosts with others, and whose checks may take a minute. */
function addGuest(world: World, account: AccountScope, index: number): Promise<Watched> {
  const interval_sec = world.dice.pick([600, 1200, 1800, 3600])
  const server = SHARED_HOSTS[index % SHARED_HOSTS.length]!
  return addMonitor(world, account, { interval_sec, timeout_ms: 60_000, server })
}

/** Each one after the first is reached through one of those before it. Returns how many it has. */
async function addLine(world: World, account: AccountScope, most: number): Promise<number> {
  const { dice } = world
  const line: Watched[] = []
  const length = Math.min(most, dice.int(3, 6))
  for (const _ of Array.from({ length })) {
    const parent = line.length === 0 ? undefined : dice.pick(line)
    const interval_sec = dice.pick([600, 1200, 1800])
    const depends_on = parent === undefined ? [] : [parent.id]
    const next = await addMonitor(world, account, { interval_sec, depends_on })
    next.target.behind = parent?.target
    line.push(next)
  }
  return length
}

export async function settingsOf({ dice, plan }: World, account: AccountScope) {
  const some = (await account.contacts.list()).filter(({ name }) => /^(dead|late)-1$/.test(name))
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

async function addHeartbeat(world: World, account: AccountScope): Promise<void> {
  const { dice } = world
  const interval_sec = dice.pick([300, 900, 3600])
  const view = await account.monitors.create({
    type: 'heartbeat',
    name: `job ${++world.made}`,
    interval_sec,
    grace_sec: dice.pick([0, 60, 300]),
  })
  beginJob(world, { monitor_id: view.id, token: view.token!, period_ms: interval_sec * 1000 })
}
