import type { Attack } from './attack.ts'
import { closed, deafSocket, FLOOD_BOUND, underFlood } from './flood.ts'

const CONNECTIONS = 20

const REQUEST =
  'POST /api/v1/monitors HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n' +
  `Transfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(16_000)}0\r\n\r\n`

export const smallChunks: Attack = {
  name: 'small-chunks',
  does: `Sends 16 bodies in 16,000 chunks of one byte on each of ${CONNECTIONS} connections, and again where they end.`,
  bound: FLOOD_BOUND,
  attempt() {
    let sent = 0
    return underFlood({
      seconds: 8,
      seen: () => `${sent} connections in all`,
      async begin(serving) {
        for (let times = 0; times < 5; times++) {
          const sockets = await Promise.all(
            Array.from({ length: CONNECTIONS }, () => deafSocket(serving)),
          )
          for (const socket of sockets) socket.resume().write(REQUEST.repeat(16))
          sent += sockets.length
          await Promise.all(sockets.map(closed))
        }
        return []
      },
    })
  },
}
