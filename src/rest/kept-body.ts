/**
 * Bodies that are the same for everybody: made once, and sent from there however many ask at a time. A
 * `Response` copies what it is made of; so the bytes are noted on it, for those who can send them as they are.
 *
 * @module
 */

/** Known to every copy of this module that a process has loaded, the CommonJS one as well. */
const NOTE = Symbol.for('watchpost.kept-body')

/** To whoever reads it, it is any response. */
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

/** The bytes themselves: to be sent, not to be changed. */
export function keptBytes(response: Response): Uint8Array | undefined {
  const noted: unknown = Reflect.get(response, NOTE)
  return noted instanceof Uint8Array ? noted : undefined
}
