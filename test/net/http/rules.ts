/** What the tests of rules of HTTP share. */
import { CheckFailure } from '../../../src/net/failure.ts'

interface Failed {
  readonly code: string
  readonly message: string
  readonly phase: string | undefined
}

/** Code, text and phase of an error; an error of another kind as it is. */
export function failed(error: unknown): Failed | Error {
  if (!(error instanceof CheckFailure)) return error as Error
  const { code, message, phase } = error
  return { code, message, phase }
}

/** What the call throws. */
export function asFailure(call: () => unknown): Failed | Error {
  try {
    call()
  } catch (error) {
    return failed(error)
  }
  throw new Error('nothing was thrown')
}
