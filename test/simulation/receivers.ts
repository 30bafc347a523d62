/** Those who are told: a webhook transport whose other end is in the world, not in the process. */
import type { WebhookAnswer, WebhookTransport } from '../../src/webhook/transport.ts'
import { verifyWebhook } from '../../src/webhook/verify.ts'
import type { Dice } from './dice.ts'
import type { Process } from './process.ts'
import type { Tape } from './tape.ts'
import type { SimulatedClock } from '../../src/testing/simulated-clock.ts'
import type { Ambush } from './trouble.ts'

/** How a receiver answers: `calm` and `late` always well, `moody` anything, `dead` never well. */
export type Temper = 'calm' | 'moody' | 'dead' | 'late'

export const SECRET = 'a secret of the simulation'

export interface ReceiverOptions {
  readonly clock: SimulatedClock
  readonly process: Process
  readonly tape: Tape
  readonly dice: Dice
  /** Share of bad answers of a moody receiver. */
  readonly badAnswers: () => number
  /** What befalls the process on the way of this request. */
  readonly fate: () => Ambush | undefined
  readonly freeze: () => void
}

export function receivers(options: ReceiverOptions): WebhookTransport {
  const { clock, process, tape, dice } = options

  async function travel(
    url: string,
    body: Uint8Array,
    signature: string | undefined,
    signal: AbortSignal,
  ): Promise<WebhookAnswer> {
    const begun = clock.monotonic()
    const fate = options.fate()
    if (fate === 'freeze') options.freeze()
    await clock.sleep(dice.int(1, 500))
    if (fate === 'kill' && dice.chance(0.5)) process.kill()
    // A dead process takes the connection with it, unless the bytes were out already.
    if (process.state === 'dead' && dice.chance(0.5)) return end('connect_reset')
    const to = new URL(url).pathname.slice(1)
    const answer = answerOf(to)
    const text = Buffer.from(body).toString('utf8')
    const { event, notification_id, incident } = JSON.parse(text) as {
      event: string
      notification_id: number
      incident: { id: number } | null
    }
    tape.add({
      kind: 'arrival',
      life: process.life,
      to,
      notification_id,
      event,
      incident_id: incident?.id ?? null,
      genuine: verifyWebhook({ body, header: signature, secret: SECRET, toleranceSec: 0 }).ok,
      text,
      answer,
    })
    await clock.sleep(
      answer === 'timeout' ? 10_000 - (clock.monotonic() - begun) : dice.int(1, 3000),
    )
    if (fate === 'kill') process.kill()
    return end(signal.aborted ? 'stopped' : answer)

    function end(status: number | string): WebhookAnswer {
      const duration_ms = clock.monotonic() - begun
      const base = { answer: null, duration_ms, written: true }
      if (typeof status === 'string')
        return { ...base, http_status: null, error: status, retry_after: undefined }
      return {
        ...base,
        http_status: status,
        error: null,
        retry_after: status === 503 ? '45' : undefined,
      }
    }
  }

  function answerOf(to: string): number | string {
    const temper = to.split('-')[0] as Temper
    if (temper === 'dead') return 503
    if (temper !== 'moody' || !dice.chance(options.badAnswers())) return 200
    return dice.pick([500, 502, 503, 404, 410, 301, 204, 'timeout', 'connect_refused'])
  }

  return {
    send: ({ url, body, headers }, { signal }) => {
      const signature = headers.find(([name]) => /signature$/i.test(name))?.[1]
      return process.arrive(travel(url, body, signature, signal))
    },
  }
}
