/**
 * Requests that end with an error page.
 *
 * @module
 */

import { WatchpostError } from '../../errors.ts'

export interface Failure {
  readonly status: number
  readonly title: string
  /** A sentence that explains the error. */
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

export class PageError extends WatchpostError {
  readonly failure: Failure

  constructor(failure: Failure) {
    super('page_refusal', failure.text)
    this.failure = failure
  }
}

export function notFound(what = 'page'): PageError {
  return new PageError({
    status: 404,
    title: 'Not found',
    text: `There is no such ${what}. It may have been removed, or the address is mistyped.`,
  })
}

export function badRequest(text: string): PageError {
  return new PageError({ status: 400, title: 'That did not work', text })
}

export function wrongMethod(allow: string): PageError {
  return new PageError({
    status: 405,
    title: 'Not possible here',
    text: 'This address does not take such a request.',
    headers: { Allow: allow },
  })
}

export function tooMany(retry_sec: number): PageError {
  const seconds = retry_sec === 1 ? '1 second' : `${retry_sec} seconds`
  return new PageError({
    status: 429,
    title: 'Too many requests',
    text: `There were too many requests within a minute. Wait ${seconds}, then try again.`,
    headers: { 'Retry-After': String(retry_sec) },
  })
}

export function forbidden(text: string): PageError {
  return new PageError({ status: 403, title: 'Not allowed', text })
}
