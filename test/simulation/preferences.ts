/** Contacts that are not told at once: in quiet hours not, or in one message for many. */
import type { AccountScope } from '../../src/engine/api/engine.ts'
import type { QuietInput } from '../../src/engine/api/inputs.ts'
import type { Dice } from './dice.ts'
import { SECRET } from './receivers.ts'
import { HOUR, MINUTE } from './time.ts'
import type { World } from './world.ts'

/** A tag that some contacts want to be woken for. */
const CRITICAL = 'Critical'

const NAMES = ['calm-quiet-1', 'calm-group-1', 'moody-both-1'] as const

/** Those of an account, where there are any in this world. */
export async function addPatient(world: World, account: AccountScope): Promise<void> {
  if (!world.plan.patient) return
  for (const name of NAMES)
    await account.contacts.create({
      ...{ kind: 'webhook', name, url: `https://192.0.2.1/${name}`, secret: SECRET },
      ...{ all_monitors: true, ...preferencesOf(world.preferences, name) },
    })
}

/** One of them changes its mind. */
export async function changePreferences(world: World, account: AccountScope): Promise<void> {
  const own = (await account.contacts.list()).filter(({ name }) => isPatient(name))
  if (own.length === 0) return
  const { id, name } = world.preferences.pick(own)
  await account.contacts.update(id, preferencesOf(world.preferences, name))
}

/**
 * One of them is quiet from now on, for two hours, and wants to hear at their end of what ended in them. Returns
 * whether there is any.
 */
export async function fallSilent(world: World, { contacts }: AccountScope): Promise<boolean> {
  const { clock, scenes } = world
  const own = (await contacts.list()).filter(({ name }) => /-(quiet|both)-1$/.test(name))
  if (own.length === 0) return false
  const now = clock.now()
  const hours = [{ from: timeOfDay(now), to: timeOfDay(now + 2 * HOUR), weekdays: [] }]
  const chosen = { during: 'wait', ended: 'notify', except_tags: [] } as const
  await contacts.update(scenes.pick(own).id, { quiet: { time_zone: 'UTC', hours, ...chosen } })
  return true
}

/** What is held by then comes when it was to come; all that follows at once. */
export async function endQuietHours({ contacts }: Pick<AccountScope, 'contacts'>): Promise<void> {
  for (const { id, quiet } of await contacts.list())
    if (quiet !== null) await contacts.update(id, { quiet: null })
}

export function tagsOf({ plan, preferences }: World): { readonly tags: readonly string[] } {
  return { tags: plan.patient && preferences.chance(0.25) ? [CRITICAL, 'shop'] : [] }
}

function isPatient(name: string): boolean {
  return NAMES.some((each) => each === name)
}

function preferencesOf(dice: Dice, name: string) {
  return {
    quiet: name === 'calm-group-1' ? null : quietOf(dice),
    group_window_sec: name === 'calm-quiet-1' ? 0 : dice.pick([60, 300, 900]),
  }
}

/** Never for more than four hours in a row, so that they are over before the end. */
function quietOf(dice: Dice): QuietInput {
  const begin = dice.int(0, 23) * HOUR + dice.int(0, 3) * 15 * MINUTE
  const spans = dice.int(1, 2)
  return {
    time_zone: dice.pick(['UTC', 'Europe/Berlin', 'Asia/Kolkata']),
    hours: Array.from({ length: spans }, (_, at) => {
      const from = begin + at * 12 * HOUR
      return {
        from: timeOfDay(from),
        to: timeOfDay(from + dice.int(60, 240) * MINUTE),
        weekdays: dice.chance(0.7) ? [] : (['mon', 'tue', 'thu', 'fri', 'sun'] as const),
      }
    }),
    during: dice.chance(0.7) ? 'wait' : 'drop',
    ended: dice.chance(0.7) ? 'notify' : 'skip',
    except_tags: dice.chance(0.5) ? [CRITICAL.toLowerCase()] : [],
  }
}

function timeOfDay(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16)
}
