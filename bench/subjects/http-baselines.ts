/** The same GET by others: a fresh connection each time, the whole body read. */

import { Agent as HttpAgent, request as nodeRequest } from 'node:http'
import { connect } from 'node:net'
import { Agent, Client, request } from 'undici'

/** Bare sockets: the floor. */
export function overSocket(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    let bytes = 0
    socket.on('data', (chunk) => (bytes += chunk.length))
    socket.once('connect', () =>
      socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'),
    )
    socket.once('error', reject).once('close', () => {
      if (bytes > 0) resolve()
      else reject(new Error('no answer'))
    })
  })
}

export function nodeHttp(port: number): () => Promise<void> {
  const agent = new HttpAgent({ keepAlive: false })
  return () =>
    new Promise((resolve, reject) => {
      nodeRequest({ host: '127.0.0.1', port, agent }, (response) => {
        response.on('data', () => undefined).once('end', resolve)
      })
        .once('error', reject)
        .end()
    })
}

type Connect = NonNullable<Client.Options['connect']>

/** The fastest that undici offers: a `Client` per request, with a bare handler. */
export function undiciDispatch(origin: string, secure: Connect = {}): Promise<void> {
  const client = new Client(origin, { pipelining: 1, connect: secure })
  const answered = new Promise<void>((resolve, reject) => {
    client.dispatch(
      { path: '/', method: 'GET', reset: true },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
  return answered.finally(() => client.destroy())
}

/** As most people write it: `client.request()` on a fresh `Client`. */
export async function undiciClient(origin: string, secure: Connect = {}): Promise<void> {
  const client = new Client(origin, { connect: secure })
  try {
    const { body } = await client.request({ path: '/', method: 'GET', reset: true })
    await body.text()
  } finally {
    await client.destroy()
  }
}

/** `request()` on one shared agent that closes every connection after its answer. */
export function undiciRequest(origin: string): () => Promise<void> {
  const dispatcher = new Agent({ connections: null })
  return async () => {
    const { body } = await request(origin, { dispatcher, reset: true })
    await body.text()
  }
}
