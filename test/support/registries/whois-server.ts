/**
 * WHOIS on this machine (RFC 3912): a line in, text out, closed.
 *
 * @module
 */

import type { Socket } from 'node:net'
import { scriptedServer } from '../scripted-server.ts'

export interface WhoisTestServer {
  /** `127.0.0.1:port`, as an option of the checker has it. */
  readonly server: string
  readonly port: number
  /** Lines that were asked, in order. */
  readonly asked: readonly string[]
}

/** What to answer to a line; with nothing, the script has the socket for itself. */
export type WhoisScript = (
  query: string,
  socket: Socket,
) => string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>

/** Closed when the test ends. */
export async function whoisServer(
  answer: string | Uint8Array | WhoisScript,
): Promise<WhoisTestServer> {
  const asked: string[] = []
  const script: WhoisScript = typeof answer === 'function' ? answer : () => answer
  const { port } = await scriptedServer((socket) => {
    let heard = ''
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString('latin1')
      if (!heard.endsWith('\r\n')) return
      const query = heard.slice(0, -2)
      heard = ''
      asked.push(query)
      void (async () => {
        const text = await script(query, socket)
        if (text !== undefined) socket.end(text)
      })()
    })
  })
  return { server: `127.0.0.1:${port}`, port, asked }
}
