/** What people do to their monitors, at any moment. */
import type { AccountScope } from '../../src/engine/api/engine.ts'
import { chooseLeaving, swapContacts } from './leavers.ts'
import { changePreferences, endQuietHours } from './preferences.ts'
import { addContact, addMonitor, settingsOf } from './settling.ts'
import type { Watched } from './targets.ts'
import { MINUTE } from './time.ts'
import { atTimes, firstEngine, listening, monitorsOf, noteError } from './world.ts'
import type { World } from './world.ts'

type Action = (world: World, account: AccountScope, id: number) => Promise<unknown>

const TAGS = ['web', 'Mail', 'disks'] as const
/** Windows of an account at the same time: it would otherwise be in maintenance all day. */
const MAX_PLANNED = 2

const ACTIONS: Readonly<Record<string, Action>> = {
  pause: (world, account, id) => {
    const { account_id } = account
    world.clock.timer(world.dice.wait(20 * MINUTE), () => act(world, 'resume', { account_id, id }))
    return account.monitors.pause(id)
  },
  resume: (_world, account, id) => account.monitors.resume(id),
  check: (_world, account, id) => account.monitors.check(id),
  queueCheck: (_world, account, id) => account.monitors.queueCheck(id),
  rename: ({ dice }, account, id) =>
    account.monitors.update(id, { name: `name ${dice.int(1, 99)}` }),
  retime: async ({ dice }, account, id) => {
    // The period of a heartbeat belongs to its job.
    if ((await account.monitors.get(id)).type === 'heartbeat') return
    await account.monitors.update(id, { interval_sec: dice.pick([120, 600, 1800]) })
  },
  retarget: ({ dice }, account, id) =>
    account.monitors.update(id, { secret: `secret ${dice.int(1, 99)}` }),
  rules: async (world, account, id) => {
    const { fail_threshold, recover_threshold } = await settingsOf(world, account)
    return account.monitors.update(id, { fail_threshold, recover_threshold })
  },
  maintain: ({ dice, clock }, account, id) => {
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
    return account.monitors.update(id, { maintenance })
  },
  plan: async ({ dice, clock }, account, id) => {
    const from = clock.now() + dice.int(-10, 60) * MINUTE
    const start = new Date(from).toISOString()
    const end = new Date(from + dice.int(20, 180) * MINUTE).toISOString()
    const skip_checks = dice.chance(0.2)
    const cron = {
      cron: `${dice.int(0, 59)} ${dice.pick(['*/3', '1,13', '22'])} * * *`,
      duration_min: dice.int(20, 90),
      time_zone: 'Europe/Berlin',
      skip_checks,
    }
    const window = dice.chance(0.5) ? { start, end, skip_checks } : cron
    const covers = dice.pick([
      { monitor_ids: [id] },
      { tags: [dice.pick(TAGS)] },
      { all_monitors: true },
    ])
    const planned = (await account.maintenance.list()).items
    if (planned.length < MAX_PLANNED) {
      await account.maintenance.create({ name: 'work', window, ...covers })
      return
    }
    const { id: other } = dice.pick(planned)
    if (dice.chance(0.5)) await account.maintenance.remove(other)
    else await account.maintenance.update(other, { window })
  },
  tag: ({ dice }, account, id) => account.monitors.update(id, { tags: [dice.pick(TAGS)] }),
  depend: async (world, account, id) => {
    const own = (await monitorsOf(world)).filter((one) => one.account_id === account.account_id)
    const parent = world.dice.pick(own).id
    await account.monitors.update(id, { depends_on: parent === id ? [] : [parent] })
  },
  calmFlaps: ({ dice }, account, id) =>
    account.monitors.update(id, { flap_detection: dice.chance(0.7) }),
  acknowledge: async ({ dice }, account) => {
    const { items } = await account.incidents.list({ open: true })
    if (items.length > 0) await account.incidents.acknowledge(dice.pick(items).id)
  },
  remove: async (world, account, id) => {
    await account.monitors.remove(id)
    // A process that stood still meanwhile has a successor, which would not hear of a new monitor.
    const life = listening(world)
    if (life !== undefined) await addMonitor(world, life.engine.account(account.account_id))
  },
  addContact: async (world, account, id) => {
    const { dice } = world
    const name = `${dice.pick(['calm', 'moody'])}-${++world.made}`
    await addContact(account, name, dice.chance(0.5))
    const own = (await account.contacts.list()).map((contact) => contact.id)
    await account.monitors.update(id, { contact_ids: [dice.pick(own)] })
  },
  removeContact: async ({ dice }, account) => {
    // Those of the beginning stay: the invariants count on somebody who hears.
    const removable = (await account.contacts.list()).filter(({ name }) => !name.endsWith('-1'))
    if (removable.length > 0) await account.contacts.remove(dice.pick(removable).id)
  },
  resend: async ({ dice }, account, id) => {
    const { items } = await account.notifications.list({ monitor_id: id })
    if (items.length > 0) await account.notifications.resend(dice.pick(items).id)
  },
  test: async ({ dice }, account) => {
    await account.contacts.test(dice.pick(await account.contacts.list()).id)
  },
  look: async (_world, account, id) => {
    await account.monitors.status(id)
    await account.monitors.uptime(id, { days: 3 })
  },
  preferences: changePreferences,
  swapContacts: ({ dice }, account, id) => swapContacts(dice, account, id),
  leave: async (world, account) => {
    const { account_id } = account
    const leaving = await chooseLeaving(world.dice, account)
    if (leaving !== undefined) act(world, leaving.what, { account_id, id: leaving.id })
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
  ['plan', 4],
  ['tag', 5],
  ['depend', 5],
  ['calmFlaps', 3],
  ['acknowledge', 3],
  ['remove', 1],
  ['addContact', 2],
  ['removeContact', 2],
  ['resend', 3],
  ['test', 2],
  ['look', 1],
  ['preferences', 3],
  ['leave', 12],
]

export function beginActions(world: World): void {
  atTimes(world, world.plan.faults.actions, () => {
    void monitorsOf(world).then((monitors) => {
      if (monitors.length > 0) act(world, world.dice.weighted(WEIGHTS), world.dice.pick(monitors))
    })
  })
}

/** The account that a monitor belongs to asks for something. */
export function act(world: World, what: string, { account_id, id }: Owned): void {
  const life = listening(world)
  if (life === undefined) return
  world.tape.add({ kind: 'asked', what, id })
  const done = ACTIONS[what]!(world, life.engine.account(account_id), id)
  done.catch((error: unknown) => noteError(world, error))
}

type Owned = Pick<Watched, 'account_id' | 'id'>

/** Nothing stays paused or under maintenance, and nobody quiet. */
export async function resumeAll(world: World): Promise<void> {
  for (const { account_id, id } of await monitorsOf(world)) {
    const { monitors, maintenance } = firstEngine(world).account(account_id)
    for (const planned of (await maintenance.list()).items) await maintenance.remove(planned.id)
    await monitors.update(id, { maintenance: [] })
    await monitors.resume(id)
  }
  for (const { id } of await world.store.accounts.list())
    await endQuietHours(firstEngine(world).account(id))
}
