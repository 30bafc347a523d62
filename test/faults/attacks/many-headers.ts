import type { Attack } from './attack.ts'
import { deafSocket, FLOOD_BOUND, underFlood } from './flood.ts'

const CONNECTIONS = 90
const FIELDS = 1950

/** 15.6 KB. */
const HEADERS = Array.from({ length: FIELDS }, (_, at) => `${(at + 10 ** 6).toString(36)}:1\r\n`)
const REQUEST = `GET /healthz HTTP/1.1\r\nHost: a\r\n${HEADERS.join('')}\r\n`

/** Fewer fields than are refused, of as many bytes. */
const LONG = `GET /healthz HTTP/1.1\r\nHost: a\r\n${`x: ${'y'.repeat(160)}\r\n`.repeat(90)}\r\n`

export const manyHeaders: Attack = {
  name: 'many-headers',
  does: `Sends 270 requests with ${FIELDS} header fields, or with 15 KB of fewer, on each of ${CONNECTIONS} connections.`,
  bound: FLOOD_BOUND,
  attempt: () =>
    underFlood({
      seconds: 8,
      async begin(serving) {
        const sockets = await Promise.all(
          Array.from({ length: CONNECTIONS }, () => deafSocket(serving)),
        )
        for (const [at, socket] of sockets.entries())
          socket.write((at % 2 === 0 ? REQUEST : LONG).repeat(270))
        return sockets
      },
    }),
}
