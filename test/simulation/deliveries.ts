/** What a request brought: one notification, or each of a digest. */
import type { EntryOf } from './tape.ts'

type Message = EntryOf<'arrival'>

/** One notification as it arrived, by itself or in a digest. */
export interface Delivery extends Message {
  /** The request it came with. */
  readonly message: Message
  /** What was said of it, in a form that both ways have in common. */
  readonly said: string
}

export interface Item {
  readonly notification_id: number
  readonly event: string
  readonly monitor: { readonly id: number } | null
  readonly incident: {
    readonly id: number
    readonly started_at?: string
    readonly cause_code?: string
  } | null
}

export interface Digest {
  readonly count: number
  readonly events: Readonly<Record<string, number>>
  readonly first: { readonly monitor: Item['monitor']; readonly started_at: string } | null
  readonly worst: { readonly cause_code: string; readonly count: number } | null
  readonly notifications: readonly Item[]
}

/** `undefined` of a request with one notification. */
export function digestIn({ event, text }: Message): Digest | undefined {
  return event === 'digest' ? (JSON.parse(text) as { digest: Digest }).digest : undefined
}

export function deliveriesIn(message: Message): readonly Delivery[] {
  const items = digestIn(message)?.notifications ?? [JSON.parse(message.text) as Item]
  return items.map((item) => {
    const { notification_id, event, monitor, incident } = item
    return {
      ...{ ...message, message, notification_id, event, incident_id: incident?.id ?? null },
      said: JSON.stringify([notification_id, event, monitor, incident]),
    }
  })
}
