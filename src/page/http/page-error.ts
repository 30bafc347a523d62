/**
 * Requests that end with an error page.
 *
 * @module
 */

import { WatchpostError } from '../../errors.ts'
import type { Said } from '../layout/markup.ts'
import { ENGLISH } from '../words/language.ts'

export interface Failure {
  readonly status: number
  readonly title: Said
  /** A sentence that explains the error. */
  readonly text: Said
  readonly headers?: Readonly<Record<string, string>>
}

export class PageError extends WatchpostError {
  readonly failure: Failure

  constructor(failure: Failure) {
    super('page_refusal', failure.text(ENGLISH))
    this.failure = failure
  }
}

export function notFound(text: Said = ({ words }) => words.errors.noPage): PageError {
  return new PageError({ status: 404, title: ({ words }) => words.errors.notFound, text })
}

export function badRequest(text: Said): PageError {
  return new PageError({ status: 400, title: ({ words }) => words.errors.badRequest, text })
}

export function conflict(text: Said): PageError {
  return new PageError({ status: 409, title: ({ words }) => words.errors.conflict, text })
}

export function wrongMethod(allow: string): PageError {
  return new PageError({
    status: 405,
    title: ({ words }) => words.errors.wrongMethod,
    text: ({ words }) => words.errors.wrongMethodText,
    headers: { Allow: allow },
  })
}

export function tooMany(retry_sec: number): PageError {
  return new PageError({
    status: 429,
    title: ({ words }) => words.errors.tooMany,
    text: ({ words }) => words.errors.tooManyText(retry_sec),
    headers: { 'Retry-After': String(retry_sec) },
  })
}

export function forbidden(text: Said): PageError {
  return new PageError({ status: 403, title: ({ words }) => words.errors.forbidden, text })
}
