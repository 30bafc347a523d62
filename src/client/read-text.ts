/**
 * The body of a response, up to a limit: the server may not be the intended one.
 *
 * @module
 */

import { ApiError } from './error.ts'

/** Far above the largest page of results. */
const LIMIT_BYTES = 32 * 1024 * 1024

/** @throws ApiError `bad_answer` if it is larger than 32 MiB */
export async function readText(response: Response): Promise<string> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > LIMIT_BYTES) {
      await reader.cancel()
      throw new ApiError('bad_answer', {
        status: response.status,
        message: `The answer is larger than ${LIMIT_BYTES} bytes`,
      })
    }
    text += decoder.decode(value, { stream: true })
  }
}
