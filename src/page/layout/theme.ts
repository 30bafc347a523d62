/**
 * Light or dark theme, chosen by a cookie, so that it needs no script and the first paint is right.
 *
 * @module
 */

import { seeOther } from '../http/answer.ts'
import type { Answer } from '../http/answer.ts'
import { cookie } from '../session/cookies.ts'
import { THEMES } from './frame.ts'
import { badRequest } from '../http/http-error.ts'

export const THEME_COOKIE = 'watchpost_theme'

const YEAR_SEC = 365 * 86_400

export interface ThemeChoice {
  readonly form: URLSearchParams
  readonly base: string
  readonly back: string
  readonly secure: boolean
}

export function chooseTheme({ form, base, back, secure }: ThemeChoice): Answer {
  const value = THEMES.find((theme) => theme === form.get('theme'))
  if (value === undefined) throw badRequest('There is no such theme.')
  const path = base === '' ? '/' : base
  return seeOther(back, [
    cookie({ name: THEME_COOKIE, value, path, max_age_sec: YEAR_SEC, secure }),
  ])
}
