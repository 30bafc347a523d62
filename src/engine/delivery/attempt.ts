/**
 * The attempt of claimed notifications: one message for all that are still to be sent, and the outcome of each.
 *
 * @module
 */

import { isTransient } from '../../errors.ts'
import { decodeSettings } from '../../fields/parse.ts'
import type { ContactRecord, EpochMs, JsonObject, NotificationRecord } from '../../model.ts'
import type { IdleConnections } from '../../net/connection/idle-connections.ts'
import { createNetwork } from '../../net/create-net.ts'
import type { Network } from '../../net/create-net.ts'
import { digestOf } from '../../webhook/digest.ts'
import { deliveryOf } from '../../webhook/contact-kind.ts'
import type { AnyContactKind, AttemptResult } from '../../webhook/contact-kind.ts'
import { afterAttempt } from './after-attempt.ts'
import { createDecision } from './decision.ts'
import type { Sendable } from './decision.ts'
import type { AttemptOutcome } from './outcome.ts'
import { createRepetition } from './repetition.ts'
import { bounded, internalFailure } from './bounded-attempt.ts'
import { openContact } from '../core/stored-contacts.ts'
import { logError } from '../core/core.ts'
import type { Core } from '../core/core.ts'
import { yieldingQueueOf } from '../../clock.ts'
import { createStop } from '../../net/timing/stop.ts'
import { redactorFor } from '../checks/redact.ts'
import type { Redactor } from '../checks/redact.ts'
import type { MonitorCache } from '../monitors/monitor-cache.ts'

export interface AttemptOptions {
  readonly core: Core
  readonly monitorCache: MonitorCache
  readonly idle: IdleConnections
  /** Called with every contact before its attempt, with decrypted settings. */
  readonly onContact: (contact: ContactRecord, settings: JsonObject) => void
}

export interface Bounds {
  /** Aborts the attempt when the engine stops. */
  readonly signal: AbortSignal
  /** Monotonic milliseconds, after which the attempt must not start: the lease would end first. */
  readonly latest_start: number
}

/** Runs the attempt of claimed rows of one contact as one message; returns the outcome of each. */
export type AttemptRows = (
  rows: readonly NotificationRecord[],
  bounds: Bounds,
) => (row: NotificationRecord) => Promise<AttemptOutcome>

/** The process or its store was suspended between the claim and the attempt. */
const TOO_LATE: AttemptResult = {
  class: 'temporary',
  uncounted: true,
  http_status: null,
  error: 'lease_over',
  answer: null,
  duration_ms: 0,
  retry_after_ms: null,
}

export function createAttempt(options: AttemptOptions): AttemptRows {
  const { core, monitorCache, idle, onContact } = options
  const { clock, ca, proxy } = core
  const networks = new Map<AnyContactKind, Network>()
  const random = (): number => clock.random()
  const nextRedactor = yieldingQueueOf(clock)
  const repetition = createRepetition(core, monitorCache)
  const decide = createDecision({ core, monitorCache, repetition })

  function attempt(rows: readonly NotificationRecord[], bounds: Bounds) {
    const prepared = new Map(rows.map((row) => [row, prepare(row, bounds)]))
    const sending = sendAll([...prepared.values()], bounds)
    // Every row reports a failure of its own.
    sending.catch(() => undefined)
    return (row: NotificationRecord) =>
      attemptOf(row, { preparing: prepared.get(row), sending, bounds })
  }

  /** An internal failure ends the attempt of this row, and is recorded in its log. */
  async function attemptOf(
    row: NotificationRecord,
    { preparing, sending, bounds: { signal } }: RowAttempt,
  ): Promise<AttemptOutcome> {
    const at = clock.now()
    try {
      const prepared = await preparing
      if (prepared !== undefined && 'outcome' in prepared) return prepared.outcome
      const message = await sending
      if (message === undefined) throw new TypeError('The row is in no message')
      return await outcomeOf(row, message, signal)
    } catch (err) {
      logError(core, err, 'a notification could not be delivered')
      // The store is read before anything is sent, so after its failure the attempt is repeated.
      const failure = internalFailure(clock.now() - at)
      const result = isTransient(err) ? { ...failure, error: 'storage' } : failure
      return outcomeOf(row, { result, at, random }, signal)
    }
  }

  async function prepare(row: NotificationRecord, { signal }: Bounds): Promise<PreparedRow> {
    const result = await decide(row, signal)
    return 'contact' in result ? result : { outcome: result }
  }

  /** One attempt for all rows that are left; `undefined`: none is. */
  async function sendAll(
    preparing: readonly Promise<PreparedRow>[],
    { signal, latest_start }: Bounds,
  ): Promise<MessageAttempt | undefined> {
    const results = await Promise.allSettled(preparing)
    const sendable = results.flatMap((each) =>
      each.status === 'fulfilled' && 'contact' in each.value ? [each.value] : [],
    )
    // A message that was tried is repeated in the same bytes: its rows wait for the one that could not be read.
    if (sendable.some(({ row }) => row.attempts > 0))
      for (const each of results)
        if (each.status === 'rejected' && isTransient(each.reason)) throw each.reason
    const [first] = sendable
    if (first === undefined) return undefined
    const { contact, kind } = first
    const at = clock.now()
    // One pause for all rows of the message.
    let drawn: number | undefined
    const attempted = (result: AttemptResult): MessageAttempt => ({
      result,
      at,
      random: () => (drawn ??= random()),
    })
    const settings = openContact(core, kind, contact)
    onContact(contact, settings)
    // Up to 20 ms for a contact with many secrets, and dozens of attempts begin at once.
    await nextRedactor()
    const redact = redactorFor(kind.fields, settings)
    const log = redact.log(core.log)
    if (clock.monotonic() > latest_start) return attempted(TOO_LATE)
    const rows = sendable.map(({ row }) => row)
    const network = ofAccount(networkOf(kind), contact.account_id)
    const result = await bounded({ clock, log }, signal, () =>
      kind.deliver(
        { clock, log, signal, network, idle: idle.of(contact.account_id) },
        decodeSettings(kind.fields, settings),
        rows.length === 1 ? deliveryOf(first.row) : digestOf(rows),
      ),
    )
    return attempted(await withoutSecrets(network, result, redact))
  }

  /** One network per kind: each has an address policy of its own. */
  function networkOf(kind: AnyContactKind): Network {
    const { policy } = kind
    const network =
      networks.get(kind) ??
      createNetwork({ clock, policy, proxy, ...(ca === undefined ? {} : { ca }) })
    networks.set(kind, network)
    return network
  }

  async function outcomeOf(
    row: NotificationRecord,
    { result, at, random: draw }: MessageAttempt,
    signal: AbortSignal,
  ): Promise<AttemptOutcome> {
    const outcome = afterAttempt(row, result, {
      began_at: at,
      ended_at: clock.now(),
      random: draw,
    })
    if (outcome.status === 'queued') return outcome
    return { ...outcome, ...(await repetition(row, outcome.at, signal)) }
  }

  return attempt
}

/** The same network; what an attempt looks up takes the turns of its account. */
function ofAccount({ open, turns, proxyFor }: Network, account_id: number): Network {
  return { turns, proxyFor, open: (options) => open({ account_id, ...options }) }
}

type PreparedRow = Sendable | { readonly outcome: AttemptOutcome }

/** The attempt of one message, the same for all its rows. */
interface MessageAttempt {
  readonly result: AttemptResult
  readonly at: EpochMs
  readonly random: () => number
}

/** What a row's outcome depends on. */
interface RowAttempt {
  readonly preparing: Promise<PreparedRow> | undefined
  readonly sending: Promise<MessageAttempt | undefined>
  readonly bounds: Bounds
}

/** Kinds remove secrets where they can; a custom kind may not. In steps: dozens of attempts may end at once. */
async function withoutSecrets(
  { turns }: Pick<Network, 'turns'>,
  result: AttemptResult,
  { steps }: Redactor,
): Promise<AttemptResult> {
  const without = async (said: string | null): Promise<string | null> =>
    said ? turns.run(createStop(), steps(said)) : said
  return { ...result, error: await without(result.error), answer: await without(result.answer) }
}
