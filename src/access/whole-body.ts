/**
 * The body of a response that is there as a whole: attached to the `Response`, so that the adapter for Node sends it
 * without reading a stream, and bytes that are equal for all clients without a copy.
 *
 * @module
 */

/** Shared by every copy of this module in a process, including the CommonJS build. */
const WHOLE = Symbol.for('watchpost.whole-body')

export type WholeBody = string | Uint8Array

/** A response that any reader can read, and whose body `wholeBody` returns. */
export function wholeResponse(body: WholeBody, init: ResponseInit): Response {
  const response = new Response(typeof body === 'string' ? body : streamOf(body), init)
  Reflect.set(response, WHOLE, body)
  return response
}

/** To be sent, never modified; `undefined` for a stream, and for a response made by somebody else. */
export function wholeBody(response: Response): WholeBody | undefined {
  const whole: unknown = Reflect.get(response, WHOLE)
  return typeof whole === 'string' || whole instanceof Uint8Array ? whole : undefined
}

/** Pulled when it is read, because a `Response` copies bytes. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(new Uint8Array(bytes))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
