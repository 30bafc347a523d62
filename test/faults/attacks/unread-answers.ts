import type { Attack } from './attack.ts'
import { deafSocket, FLOOD_BOUND, underFlood } from './flood.ts'

const REQUEST = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'

export const unreadAnswers: Attack = {
  name: 'unread-answers',
  does: 'Asks 700 times for openapi.json on each of two connections, and reads no answer.',
  bound: FLOOD_BOUND,
  attempt: () =>
    underFlood({
      seconds: 25,
      async begin(serving) {
        const sockets = await Promise.all([deafSocket(serving), deafSocket(serving)])
        for (const socket of sockets) socket.write(REQUEST.repeat(700))
        return sockets
      },
    }),
}
