/**
 * Kills its own process at a named point, by wrapping the store and the webhook transport.
 *
 * @module
 */

import type { Network, OwnedNet } from '../../../src/net/create-net.ts'
import type { Store } from '../../../src/store/store.ts'
import type { WebhookTransport } from '../../../src/webhook/transport.ts'
import type { EnginePlan, Point, Said } from './plan.ts'

export interface Dying {
  store(store: Store): Store
  transport(transport: WebhookTransport): WebhookTransport
}

export function dying(die: EnginePlan['die'], say: (line: Said) => void): Dying {
  let left = die?.nth ?? 0

  function reach(point: Point): void {
    if (die?.at !== point || --left > 0) return
    say({ kind: 'dies', at: point })
    process.kill(process.pid, 'SIGKILL')
  }

  return {
    store: (store) => ({
      ...store,
      async commit(changes) {
        const committed = await store.commit(changes)
        if (committed.some((one) => one.ok && one.notification_ids.length > 0))
          reach('after_commit')
        return committed
      },
      notifications: {
        ...store.notifications,
        async claim(wanted) {
          const rows = await store.notifications.claim(wanted)
          if (rows.length === 0) return rows
          const again = rows.filter(({ interruptions }) => interruptions > 0)
          const ids = rows.map(({ id }) => id)
          say({ kind: 'claimed', at: Date.now(), ids, again: again.map(({ id }) => id) })
          reach('after_claim')
          return rows
        },
        async finish(end) {
          reach('before_record')
          const recorded = await store.notifications.finish(end)
          reach('after_record')
          return recorded
        },
      },
    }),
    transport: (transport) => ({
      async send(request, context) {
        const network = watched(context.network, () => reach('after_socket_write'))
        const answer = await transport.send(request, { ...context, network })
        if (answer.http_status !== null) reach('after_answer')
        return answer
      },
    }),
  }
}

/** Tells of the first bytes that were handed to the system on each connection. */
function watched(network: Network, onWritten: () => void): Network {
  return {
    ...network,
    open(options) {
      const net = network.open(options)
      const reach: OwnedNet['reach'] = async (...to) => {
        const reached = await net.reach(...to)
        const { socket } = reached.connection
        const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
        // Headers and body may come in two pieces; a turn later both are on their way.
        socket.write = (...args: unknown[]) => {
          const more = write(...args)
          setImmediate(onWritten)
          return more
        }
        return reached
      }
      return { ...net, reach }
    },
  }
}
