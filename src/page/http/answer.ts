/**
 * The responses of the page, and the headers of every response.
 *
 * @module
 */

import { randomBytes } from 'node:crypto'
import { wholeResponse } from '../../access/whole-body.ts'
import { textOf } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'
import type { Language } from '../words/language.ts'

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: readonly string[]
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
}

/** A nonce for the script and style of one response. */
export function makeNonce(): string {
  return randomBytes(16).toString('base64')
}

interface HtmlOptions {
  readonly nonce: string
  readonly language: Language
  readonly status?: number
  /** An image of another site that the page shows: its address, for the policy. */
  readonly image?: string | undefined
}

/** A page: only the page's own style and script by nonce; no framing, no caching. */
export function htmlAnswer(
  markup: Markup,
  { nonce, language, status = 200, image }: HtmlOptions,
): Answer {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src 'self'${image === undefined ? '' : ` ${image}`}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      // The language and the theme.
      Vary: 'Accept-Language, Cookie',
    },
    body: textOf(markup, language),
  }
}

/** The redirect after a form, so that reloading does not send it again. */
export function seeOther(location: string, cookies: readonly string[] = []): Answer {
  return { status: 303, headers: { Location: location }, cookies }
}

const OF_EVERY_ANSWER: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Not `no-referrer`: browsers would then send `Origin: null` with the page's own forms.
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

export function toResponse(answer: Answer, { head }: { readonly head: boolean }): Response {
  const headers = new Headers({ ...OF_EVERY_ANSWER, ...answer.headers })
  for (const cookie of answer.cookies ?? []) headers.append('Set-Cookie', cookie)
  const { body = null } = answer
  const init = { status: answer.status, headers }
  if (head && body instanceof ReadableStream) void body.cancel()
  if (head || body === null) return new Response(null, init)
  return body instanceof ReadableStream ? new Response(body, init) : wholeResponse(body, init)
}
