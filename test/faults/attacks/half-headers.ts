import type { Attack } from './attack.ts'
import { CROWD, deafSocket, FLOOD_BOUND, underFlood } from './flood.ts'

export const halfHeaders: Attack = {
  name: 'half-headers',
  does: 'Sends half of the headers on each of 1,100 connections from one address, and then nothing.',
  bound: FLOOD_BOUND,
  attempt: () =>
    underFlood({
      seconds: 16,
      begin: (serving) =>
        Promise.all(
          Array.from({ length: CROWD }, async () => {
            const socket = await deafSocket(serving)
            socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n')
            return socket
          }),
        ),
    }),
}
