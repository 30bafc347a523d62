import type { Attack } from './attack.ts'
import { deafSocket, FLOOD_BOUND, underFlood } from './flood.ts'

/** Sixteen answers of some hundred KiB are more than what the kernel keeps for a connection. */
const REQUEST = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'

/** Each takes some MiB of the kernel's memory for TCP, which all of the machine shares. */
const CONNECTIONS = 200

export const deafSockets: Attack = {
  name: 'deaf-sockets',
  does: 'Asks 16 times for openapi.json on each of 200 connections, and reads no answer.',
  bound: `${FLOOD_BOUND}, and no such socket is left after 45 s`,
  attempt: () =>
    underFlood({
      seconds: 45,
      begin: (serving) =>
        Promise.all(
          Array.from({ length: CONNECTIONS }, async () => {
            const socket = await deafSocket(serving)
            socket.write(REQUEST.repeat(16))
            return socket
          }),
        ),
      check: ({ connections }) =>
        connections() === 0 ? undefined : `${connections()} connections are still open`,
    }),
}
