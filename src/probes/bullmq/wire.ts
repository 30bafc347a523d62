/**
 * Encoding of orders and answers on Redis: one text, encrypted as a whole if there is a key. The fields beside it
 * only name the recipient of the answer.
 *
 * @module
 */

import { isWatchpostError } from '../../errors.ts'
import type { CheckReport } from '../../model.ts'
import { createSeal, isSealed } from '../../seal.ts'
import type { CheckAnswer, CheckOrder } from '../transport.ts'
import { parseBounded } from './bounded-json.ts'

/** Raised when the format changes so that older readers would misread it. */
const FORMAT = 1

/** Far more than any order, answer or list of cancelled orders has. */
const MAX_CHARS = 4 * 1024 * 1024

/** Data of a job on the queue of a location. */
export interface OrderJob {
  readonly format: number
  /** Id of the engine that sent the order. */
  readonly engine: string
  /** `order.id`; the job itself is called `<engine>-<order id>`. */
  readonly order_id: string
  readonly text: string
}

/** Data of a job on the queue of an engine. */
export type AnswerJob =
  { readonly format: number; readonly text: string } | { readonly refused: Refusal }

/** Why a probe could not read an order. */
export type Refusal = 'key' | 'format' | 'unreadable'

export interface SentOrder {
  readonly order: CheckOrder
  /** Redis' clock minus the engine's, in ms; the clocks of two machines differ. */
  readonly offset_ms: number
}

export type Opened<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal; readonly problem: string }

export interface Wire {
  order(engine: string, sent: SentOrder): OrderJob
  openOrder(job: OrderJob): Opened<SentOrder>
  answer(engine: string, answer: CheckAnswer): AnswerJob
  openAnswer(job: AnswerJob, engine: string, order_id: string): Opened<CheckAnswer>
  cancel(ids: readonly string[]): string
  openCancel(text: string): readonly string[]
}

/** @throws ConfigurationError for a key of another length */
export function createWire(key?: string | Uint8Array): Wire {
  const seal = createSeal(key)

  const close = (value: unknown, place: string) => seal.encrypt(JSON.stringify(value), place)

  function open<T>(text: unknown, place: string, fits: (value: unknown) => value is T): Opened<T> {
    if (typeof text !== 'string') return refuse('unreadable', 'It is of no known form')
    if (text.length > MAX_CHARS) return refuse('unreadable', 'It is too long')
    // Accepting a plain text despite a key would let everyone with access to Redis send orders.
    if (key !== undefined && !isSealed(text))
      return refuse('key', 'It is not sealed, but a secret key is set here')
    try {
      const value: unknown = parseBounded(seal.decrypt(text, place))
      return fits(value)
        ? { ok: true, value }
        : refuse('unreadable', 'It lacks what every message has')
    } catch (error) {
      if (isWatchpostError(error)) return refuse('key', 'It was sealed with another secret key')
      return refuse('unreadable', 'It is not JSON, or has too many values')
    }
  }

  return {
    order: (engine, sent) => {
      const order_id = sent.order.id
      return { format: FORMAT, engine, order_id, text: close(sent, `order.${engine}.${order_id}`) }
    },
    openOrder({ format, engine, order_id, text }) {
      if (format !== FORMAT) return refuse('format', `It is of format ${format}, not ${FORMAT}`)
      const opened = open(text, `order.${engine}.${order_id}`, isSentOrder)
      return opened.ok ? { ok: true, value: withAccount(opened.value) } : opened
    },
    answer: (engine, answer) => ({
      format: FORMAT,
      text: close(answer, `answer.${engine}.${answer.order.id}`),
    }),
    openAnswer(job, engine, order_id) {
      if (!isRecord(job)) return refuse('unreadable', 'It is of no known form')
      if ('refused' in job)
        return refuse(refusalOf(job.refused), 'The probe could not read the order')
      if (job.format !== FORMAT)
        return refuse('format', `It is of format ${job.format}, not ${FORMAT}`)
      return open(job.text, `answer.${engine}.${order_id}`, isAnswer)
    },
    cancel: (ids) => close(ids, 'cancel'),
    openCancel(text) {
      const opened = open(text, 'cancel', isListOfTexts)
      return opened.ok ? opened.value : []
    },
  }
}

/** An engine may omit the account: all its orders then count as one account. */
function withAccount({ order, offset_ms }: SentOrder): SentOrder {
  const account_id = Number.isSafeInteger(order.account_id) ? order.account_id : 0
  return { order: { ...order, account_id }, offset_ms }
}

/** Shifts the times of an order or a report from a clock that is `by` ms ahead of or behind the local one. */
export function orderShifted(order: CheckOrder, by: number): CheckOrder {
  if (by === 0) return order
  return { ...order, round: order.round + by, expires_at: order.expires_at + by }
}

export function reportShifted(report: CheckReport, by: number): CheckReport {
  if (by === 0) return report
  const { outcome, since } = report
  const started_at = new Date(Date.parse(outcome.started_at) + by).toISOString()
  return {
    ...report,
    outcome: { ...outcome, started_at },
    ...(since === undefined ? {} : { since: since + by }),
  }
}

/** A refusal is not encrypted: whoever can write to Redis may say anything. */
function refusalOf(said: unknown): Refusal {
  return said === 'key' || said === 'format' ? said : 'unreadable'
}

function refuse(refusal: Refusal, problem: string): Opened<never> {
  return { ok: false, refusal, problem }
}

type Loose = Readonly<Record<string, unknown>>

function isRecord(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null
}

function isSentOrder(value: unknown): value is SentOrder {
  if (!isRecord(value) || !isRecord(value['order']) || !Number.isFinite(value['offset_ms']))
    return false
  const { id, type, settings, location, ...order } = value['order']
  const numbers = ['monitor_id', 'version', 'timeout_ms', 'interval_sec', 'round', 'expires_at']
  return (
    typeof id === 'string' &&
    typeof type === 'string' &&
    typeof order['host'] === 'string' &&
    isRecord(settings) &&
    isRecord(location) &&
    numbers.every((name) => Number.isFinite(order[name]))
  )
}

function isAnswer(value: unknown): value is CheckAnswer {
  if (!isRecord(value) || !isRecord(value['order']) || !isRecord(value['report'])) return false
  const { outcome } = value['report']
  if (!isRecord(outcome) || Number.isNaN(Date.parse(String(outcome['started_at'])))) return false
  return ['ok', 'fail', 'unknown'].includes(String(outcome['verdict']))
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
