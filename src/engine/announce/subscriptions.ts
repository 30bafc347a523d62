/**
 * Subscriptions to the engine's events: listeners, and streams for `for await`.
 *
 * @module
 */

import { ConfigurationError, NotFoundError } from '../../errors.ts'
import { isAccountId } from '../../model.ts'
import * as option from '../../options.ts'
import { checkOptions } from '../../options.ts'
import type { OptionTable } from '../../options.ts'
import type { Engine } from '../api/engine.ts'
import { checkEvent, checkListener } from '../api/events.ts'
import type { EngineEvents, EventsOptions, StreamedEvent } from '../api/events.ts'
import type { Core } from '../core/core.ts'
import { createEventBuffer } from './event-buffer.ts'

type EventName = keyof EngineEvents
type Listener = (payload: never) => unknown

export interface Subscriptions extends Pick<Engine, 'on' | 'once' | 'off' | 'events'> {
  /** Ends the streams once their buffered events are read. */
  end(): void
}

const DEFAULT_BUFFER = 1000

const OPTIONS: OptionTable<EventsOptions> = {
  signal: option.having('addEventListener'),
  // Validated as every account id is.
  account: option.anything,
  buffer: option.wholeNumber(1, 100_000),
}

export function createSubscriptions({ events }: Pick<Core, 'events'>): Subscriptions {
  const streams = new Set<() => void>()
  const added = new Map<EventName, { readonly listener: Listener; readonly remove: () => void }[]>()

  function add(event: EventName, listener: Listener, { once }: { once: boolean }): () => void {
    checkListener(event, listener)
    // A separate function per call: if a listener was added twice, removing it once removes one.
    const own = (payload: unknown): unknown => {
      if (once) remove()
      return (listener as (payload: unknown) => unknown)(payload)
    }
    const remove = (): void => {
      events.off(event, own)
      const left = added.get(event)?.filter((each) => each.remove !== remove) ?? []
      if (left.length > 0) added.set(event, left)
      else added.delete(event)
    }
    events.on(event, own)
    added.set(event, [...(added.get(event) ?? []), { listener, remove }])
    return remove
  }

  function stream(...args: readonly unknown[]): AsyncIterableIterator<StreamedEvent> {
    const { names, options } = parsed(args)
    const { signal, account, buffer = DEFAULT_BUFFER } = options
    const buffered = createEventBuffer(buffer, () => {
      for (const remove of removals) remove()
      signal?.removeEventListener('abort', abort)
      streams.delete(buffered.end)
    })
    const abort = (): void => buffered.abort()
    const removals = names.map((event) =>
      add(
        event,
        (payload: unknown) => {
          if (account === undefined || accountOf(payload) === account) buffered.push(event, payload)
        },
        { once: false },
      ),
    )
    streams.add(buffered.end)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort)
    return buffered.iterator
  }

  return {
    on: (event, listener) => add(event, listener, { once: false }),
    once: (event, listener) => add(event, listener, { once: true }),
    off(event, listener) {
      checkListener(event, listener)
      added
        .get(event)
        ?.find((each) => each.listener === listener)
        ?.remove()
    },
    events: stream as Engine['events'],
    end() {
      for (const end of [...streams]) end()
    },
  }
}

/** @throws ConfigurationError for an unknown event or option, NotFoundError for what is no account id */
function parsed(args: readonly unknown[]): {
  readonly names: readonly EventName[]
  readonly options: EventsOptions
} {
  const last = args.at(-1)
  const given = typeof last === 'string' ? undefined : last
  const options = (given ?? {}) as EventsOptions
  const names = (typeof last === 'string' ? args : args.slice(0, -1)) as readonly EventName[]
  checkOptions('engine.events', options, OPTIONS)
  // An account that was lost would otherwise mean all of them.
  if (Object.hasOwn(options, 'account') && !isAccountId(options.account))
    throw new NotFoundError('account')
  if (names.length === 0)
    throw new ConfigurationError('engine.events needs the name of at least one event')
  for (const name of names) checkEvent('engine.events', name)
  return { names: [...new Set(names)], options }
}

function accountOf(payload: unknown): unknown {
  return (payload as { readonly account_id?: unknown } | null | undefined)?.account_id
}
