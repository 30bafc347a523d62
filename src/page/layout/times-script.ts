/**
 * The script that turns times to the zone of the viewer, or of the host's choice, at most 2 kB. Without it, and where the
 * viewer chooses so, times are UTC as the server wrote them.
 *
 * @module
 */

const SOURCE = `(() => {
  'use strict'
  const { intl, timeZone } = document.documentElement.dataset
  const zone = timeZone || new Intl.DateTimeFormat().resolvedOptions().timeZone
  const button = document.getElementById('zone')
  if (!button || !zone || zone === 'UTC' || zone === 'Etc/UTC') return
  const NAME = 'watchpost-zone'
  let utc = false
  try {
    utc = localStorage.getItem(NAME) === 'UTC'
  } catch {}

  const form = (options, where = intl) => new Intl.DateTimeFormat(where, { ...options, timeZone: zone })
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
  const time = form(clock)
  const exact = form({ ...clock, second: '2-digit' })
  const day = form({ day: 'numeric', month: 'short', year: 'numeric' })
  const short = form({ day: 'numeric', month: 'short' })
  const dateOf = (at) => form({ year: 'numeric', month: '2-digit', day: '2-digit' }, 'en-CA').format(at)

  const turned = ({ at, beside }, date) => {
    if (at === 'clock') {
      const today = dateOf(date) === dateOf(new Date())
      return (today ? '' : short.format(date) + ', ') + exact.format(date)
    }
    const shown = at === 'time' && (beside.length === 10 ? beside : dateOf(new Date(beside)))
    return (shown === dateOf(date) ? '' : day.format(date) + ', ') + time.format(date)
  }

  const put = (element, text) => {
    if (element.textContent !== text) element.textContent = text
  }
  const turn = () => {
    for (const each of document.querySelectorAll('time[data-at]')) {
      if (each.dateTime === '') continue
      if (each.dataset.of !== each.dateTime) {
        each.dataset.of = each.dateTime
        each.dataset.utc = each.textContent
      }
      put(each, utc ? each.dataset.utc : turned(each.dataset, new Date(each.dateTime)))
    }
    for (const each of document.querySelectorAll('[data-zone]')) put(each, utc ? 'UTC' : zone)
    put(button, button.dataset.words.replace('#', utc ? zone : 'UTC'))
  }

  button.hidden = false
  button.addEventListener('click', () => {
    utc = !utc
    try {
      localStorage.setItem(NAME, utc ? 'UTC' : '')
    } catch {}
    turn()
  })
  turn()
  new MutationObserver(turn).observe(document.body, { childList: true, subtree: true })
})()
`

/** Without its indentation. */
export const TIMES_SCRIPT = SOURCE.replace(/^ +/gm, '')
