/**
 * How long Node keeps an HTTP/2 session in memory. Node (20, 22, 24 and 26) ends the process, by an assertion
 * (`current_nghttp2_memory_ == 0`), where it frees a session before one of its streams that still has headers: seen
 * in gRPC calls with header blocks that never end, which any server can send. So a session is freed later than its
 * streams (`npm run faults -- attacks --only unended-headers`).
 *
 * @module
 */

import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'

/** Holds the value until its target has been freed. */
const registry = new FinalizationRegistry<unknown>(() => undefined)

/** Call it before the stream is destroyed: Node forgets the native part of it then. */
export function outlive(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
  const target = nativePart(stream)
  if (target !== undefined) registry.register(target, nativePart(session))
}

/**
 * Ends the session behind what is parsed. Node ends it at once at a broken frame and at a goodbye with an error, in the
 * middle of a piece; at another broken frame in it, nghttp2 before 1.68.1 fails an assertion (CVE-2026-27135), and the
 * process ends. `failed` is told first: what is parsed meanwhile closes the stream, with an error that says less.
 */
export function endLater(
  session: ClientHttp2Session,
  failed: (error: Error) => void = () => undefined,
): void {
  const destroy = session.destroy.bind(session)
  session.destroy = (error, code) => {
    process.nextTick(() => {
      if (error !== undefined) failed(error)
      destroy(error, code)
    })
  }
}

/** `undefined` where Node has another name for it. */
export function nativePart(owner: object): object | undefined {
  const key = Object.getOwnPropertySymbols(owner).find(
    ({ description }) => description === 'kHandle',
  )
  return key === undefined ? undefined : (owner as Record<symbol, object | undefined>)[key]
}
