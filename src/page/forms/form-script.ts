/**
 * The script of forms: it sends a form in the background and replaces the parts that have changed, so that typed
 * secrets stay in the form, which the server never sends back. Everything works without it.
 *
 * @module
 */

const SOURCE = `(() => {
  'use strict'
  const form = document.querySelector('form[data-form]')
  if (!form) return
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const buttons = [...form.querySelectorAll('.buttons button')]
    const body = new URLSearchParams(new FormData(form))
    if (event.submitter) body.set(event.submitter.name, event.submitter.value)
    const outcome = document.getElementById('outcome')
    for (const button of buttons) button.disabled = true
    outcome.textContent = form.dataset.asking
    try {
      const answer = await fetch(form.action, { method: 'POST', body })
      if (answer.redirected) return location.assign(answer.url)
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      if (!page.getElementById('outcome')) throw new Error(answer.status)
      for (const part of document.querySelectorAll('[data-part]')) {
        const fresh = page.getElementById(part.id)
        if (!fresh) continue
        part.replaceChildren(...fresh.childNodes)
        if (part.id === 'outcome') continue
        const wrong = part.textContent.trim() !== ''
        part.parentElement.classList.toggle('wrong', wrong)
        if (wrong) for (let up = part; up; up = up.parentElement.closest('details')) up.open = true
      }
      outcome.scrollIntoView({ block: 'nearest' })
    } catch {
      outcome.textContent = form.dataset.noAnswer
    }
    for (const button of buttons) button.disabled = false
  })
})()
`

/** Without its indentation. */
export const FORM_SCRIPT = SOURCE.replace(/^ +/gm, '')
