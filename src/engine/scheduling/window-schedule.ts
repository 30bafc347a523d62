/**
 * When the windows of accounts open and close. One timer for all of them; their monitors follow.
 *
 * @module
 */

import type { EpochMs } from '../../model.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import type { AccountWindow, AccountWindows } from '../monitors/account-windows.ts'
import { createScheduler } from './scheduler.ts'

/** Windows per step; the next occurrence of each may take a millisecond. */
const WINDOWS_PER_STEP = 10

export interface WindowSchedule {
  start(): void
  stop(): void
}

export interface WindowScheduleOptions {
  readonly core: Core
  readonly accountWindows: AccountWindows
  /** Windows of these accounts opened, closed or changed. */
  readonly onSwitch: (account_ids: ReadonlySet<number>) => Promise<void>
}

export function createWindowSchedule({
  core,
  accountWindows,
  onSwitch,
}: WindowScheduleOptions): WindowSchedule {
  const { clock } = core
  /** Windows whose next occurrence is to be computed. */
  const due = new Set<number>()
  /** Accounts whose monitors are to be evaluated. */
  const touched = new Set<number>()
  let advancing = false
  let running = false
  const scheduler = createScheduler({
    clock,
    onDue(id) {
      due.add(id)
      advanceSoon()
    },
    // After a clock that was set, every occurrence is computed again.
    dueAfterClockSet: (_id, now) => now,
  })

  function advanceSoon(): void {
    if (advancing || !running) return
    advancing = true
    advanceDue()
      .catch((err: unknown) => logError(core, err, 'maintenance windows could not be evaluated'))
      .finally(() => {
        advancing = false
        if (due.size + touched.size > 0) advanceSoon()
      })
  }

  /** The next occurrence of a window may take a millisecond, and a thousand may close in one minute. */
  async function advanceDue(): Promise<void> {
    let steps = 0
    // By then the scheduler has queued all windows that are due in this turn.
    await Promise.resolve()
    while (due.size > 0) {
      for (const id of due) {
        if (++steps % WINDOWS_PER_STEP === 0) await clock.sleep(0)
        due.delete(id)
        const window = accountWindows.advance(id, clock.now())
        if (window === undefined) continue
        touched.add(window.record.account_id)
        schedule(window)
      }
    }
    const account_ids = new Set(touched)
    touched.clear()
    if (running && account_ids.size > 0) await onSwitch(account_ids)
  }

  function schedule({ record, span }: AccountWindow): void {
    const at = nextAt(span, clock.now())
    if (at === null) scheduler.delete(record.id)
    else scheduler.set(record.id, at)
  }

  accountWindows.onChange((windows, account_ids) => {
    for (const window of windows) schedule(window)
    for (const id of account_ids) touched.add(id)
    advanceSoon()
  })

  return {
    start() {
      running = true
      for (const window of accountWindows.all()) {
        schedule(window)
        touched.add(window.record.account_id)
      }
      scheduler.start()
      // A window may have opened after its monitors were added.
      advanceSoon()
    },
    stop() {
      running = false
      scheduler.stop()
      due.clear()
      touched.clear()
    },
  }
}

/** `null` if the occurrence is over: there is no other. */
function nextAt([from, to]: AccountWindow['span'], now: EpochMs): EpochMs | null {
  if (to <= now) return null
  return from > now ? from : to
}
