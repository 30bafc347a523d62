import type { Socket } from 'node:net'
import type { Serving } from '../rig/serving.ts'
import type { Attack } from './attack.ts'
import { deafSocket, FLOOD_BOUND, underFlood } from './flood.ts'

const OPENED = 400

export const hoardedLiveUpdates: Attack = {
  name: 'hoarded-live-updates',
  does: 'Opens live updates 400 times in one session, and reads none of them.',
  bound: `${FLOOD_BOUND}, another session still gets one`,
  attempt: () =>
    underFlood({
      seconds: 20,
      async begin(serving) {
        const session = await signIn(serving)
        return Promise.all(Array.from({ length: OPENED }, () => listenIn(serving, session)))
      },
      async check(serving) {
        const headers = { Cookie: await signIn(serving) }
        const leaving = new AbortController()
        const url = `http://127.0.0.1:${serving.port}/events`
        const { status } = await fetch(url, { headers, signal: leaving.signal })
        leaving.abort()
        return status === 200 ? undefined : `another session got ${status}`
      },
    }),
}

async function signIn({ port, key }: Serving): Promise<string> {
  const origin = `http://127.0.0.1:${port}`
  const body = new URLSearchParams({ key })
  const answer = await fetch(`${origin}/sign-in`, {
    method: 'POST',
    body,
    headers: { Origin: origin },
    redirect: 'manual',
  })
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

async function listenIn(serving: Serving, session: string): Promise<Socket> {
  const socket = await deafSocket(serving)
  socket.write(`GET /events HTTP/1.1\r\nHost: a\r\nCookie: ${session}\r\n\r\n`)
  return socket
}
