/**
 * The script of the chart: it moves the readout to the moment that is pointed at, touched or chosen with the keys. The
 * texts come from the table of the chart.
 *
 * @module
 */

const SOURCE = `(() => {
  'use strict'
  let chosen = null
  const figure = () => document.querySelector('.chart')
  const show = (index, marked) => {
    const chart = figure()
    const rows = chart.querySelectorAll('tbody tr')
    const row = rows[rows.length - 1 - index]
    if (!row) return
    const heads = chart.querySelectorAll('thead th')
    const texts = [...row.cells].map((cell) => cell.textContent)
    for (const item of chart.querySelectorAll('[data-col]'))
      item.textContent = texts[item.dataset.col] || (item.tagName === 'B' ? '–' : '')
    const input = chart.querySelector('.pointer')
    input.value = index
    const said = texts.map((text, at) => text && (at < 3 ? text : heads[at].textContent + ' ' + text))
    input.setAttribute('aria-valuetext', said.filter(Boolean).join(', '))
    const x = ((index + 0.5) / rows.length) * 1000
    for (const cursor of chart.querySelectorAll('.cursor'))
      cursor.setAttribute('d', marked ? 'M' + x + ' 0V200' : '')
    chosen = marked ? texts[0] : null
  }
  const isPointer = (target) => target.classList?.contains('pointer')
  const newest = () => {
    const input = figure()?.querySelector('.pointer')
    if (input && document.activeElement !== input) show(+input.defaultValue, false)
  }
  document.addEventListener('input', ({ target }) => isPointer(target) && show(+target.value, true))
  document.addEventListener('focusin', ({ target }) => {
    if (isPointer(target) && chosen === null) show(+target.value, true)
  })
  document.addEventListener('focusout', ({ target }) => isPointer(target) && setTimeout(newest))
  document.addEventListener('pointermove', ({ target, clientX }) => {
    if (!isPointer(target)) return
    const { left, width } = target.getBoundingClientRect()
    const steps = +target.max + 1
    const index = Math.floor(((clientX - left) / width) * steps)
    show(Math.min(steps - 1, Math.max(0, index)), true)
  })
  document.addEventListener('pointerout', ({ target, pointerType }) => {
    if (isPointer(target) && pointerType === 'mouse') newest()
  })
  // The page replaces a chart that has changed: what was chosen stays so.
  const place = document.getElementById('chart')
  if (place) new MutationObserver(() => {
    if (chosen === null || !figure()) return
    const rows = [...figure().querySelectorAll('tbody tr')]
    const at = rows.findIndex((row) => row.cells[0].textContent === chosen)
    if (at >= 0) show(rows.length - 1 - at, true)
  }).observe(place, { childList: true })
})()
`

/** Without its indentation. */
export const CHART_SCRIPT = SOURCE.replace(/^ +/gm, '')
