import type { Attack } from './attack.ts'
import { CROWD, deafSocket, FLOOD_BOUND, underFlood } from './flood.ts'

export const slowBodies: Attack = {
  name: 'slow-bodies',
  does: 'Announces a body of 200 KB on each of 1,100 connections and sends one byte of it.',
  bound: FLOOD_BOUND,
  attempt: () =>
    underFlood({
      seconds: 40,
      begin: (serving) =>
        Promise.all(
          Array.from({ length: CROWD }, async () => {
            const socket = await deafSocket(serving)
            socket.write(
              `POST /sign-in HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 200000\r\n\r\nk`,
            )
            return socket
          }),
        ),
    }),
}
