/**
 * Bodies that are equal for all clients: encoded once, and sent without a copy. A `Response` copies its body, so the
 * bytes are attached to it for an adapter that can send them directly.
 *
 * @module
 */

/** Shared by every copy of this module in a process, including the CommonJS build. */
const NOTE = Symbol.for('watchpost.kept-body')

/** An ordinary `Response` for any reader. */
export function keptResponse(bytes: Uint8Array, init: ResponseInit): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(new Uint8Array(bytes))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const response = new Response(body, init)
  Reflect.set(response, NOTE, bytes)
  return response
}

/** The bytes themselves: to be sent, never modified. */
export function keptBytes(response: Response): Uint8Array | undefined {
  const noted: unknown = Reflect.get(response, NOTE)
  return noted instanceof Uint8Array ? noted : undefined
}
