/**
 * The form that takes an API key.
 *
 * @module
 */

import type { Frame } from '../layout/frame.ts'
import { html } from '../layout/markup.ts'
import type { Markup } from '../layout/markup.ts'

export interface SignInOptions {
  readonly frame: Frame
  /** Where to redirect afterwards. */
  readonly back: string
  readonly problem?: string
}

export function signInPage({ frame: { base }, back, problem }: SignInOptions): Markup {
  return html`<div class="first narrow">
    <h1>Sign in</h1>
    <form method="post" action="${base}/sign-in" class="stack">
      <input type="hidden" name="return" value="${back}" />
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck="false"
        ${problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`}
      />
      ${problem !== undefined && html`<p id="problem" class="problem" role="alert">${problem}</p>`}
      <button class="primary">Sign in</button>
    </form>
    <p class="muted">
      The key was shown when it was made, at the first start or by
      <code>watchpost keys create</code>.
    </p>
  </div>`
}
