/** Accounts with quotas, whose users create monitors at the same moment, through whichever process takes the request. */
import { FIRST_ACCOUNT } from '../../src/model.ts'
import { addMonitor } from './settling.ts'
import { DAY, HOUR } from './time.ts'
import { firstEngine, noteError } from './world.ts'
import type { World } from './world.ts'

/** Monitors that an account may have beyond those of the beginning. */
const ROOM = 3
/** Monitors that are created at the same moment. */
const AT_ONCE = 6

/** Every account may have a few monitors more than it has. */
export async function setQuotas(world: World): Promise<void> {
  if (world.plan.faults.rushes === 0) return
  const { accounts } = firstEngine(world)
  for (const account_id of [FIRST_ACCOUNT, ...world.guests.keys()]) {
    const monitors = (await accounts.use(account_id)).use.monitors + ROOM
    await accounts.update(account_id, { quotas: { monitors } })
    world.tape.add({ kind: 'quota', account_id, monitors })
  }
}

export function beginRushes(world: World): void {
  const { plan, clock, customers } = world
  if (plan.faults.rushes === 0) return
  clock.timer(customers.wait(DAY / plan.faults.rushes), () => {
    if (world.calm) return
    rush(world, customers.pick([FIRST_ACCOUNT, ...world.guests.keys()]))
    beginRushes(world)
  })
}

/** More than the account has room for; what was created goes an hour later. */
function rush(world: World, account_id: number): void {
  const lives = world.machines.flatMap(({ current }) => (current?.running ? [current] : []))
  if (lives.length === 0) return
  world.tape.add({ kind: 'rush', account_id })
  for (let n = 0; n < AT_ONCE; n++) {
    const account = lives[n % lives.length]!.engine.account(account_id)
    const leave = ({ id }: { readonly id: number }): void =>
      void world.clock.timer(HOUR, () => {
        account.monitors.remove(id).catch((error: unknown) => noteError(world, error))
      })
    addMonitor(world, account).then(leave, (error: unknown) => noteError(world, error))
  }
}
