/**
 * The script of the page, at most 5.5 kB. It updates the page live; everything works without it.
 *
 * On a change it fetches the page and replaces changed elements one by one, so that scroll position, opened details
 * and focus stay. What is newly down is announced, with links to it. If the connection is lost for five seconds, or silent for a minute, it says since when and greys
 * the states out.
 *
 * @module
 */

const SOURCE = `(() => {
  'use strict'
  const root = document.documentElement
  const note = document.getElementById('live')
  const reload = note && note.innerHTML
  const ahead = Date.parse(root.dataset.now) - Date.now()
  const was = new Map()
  for (const each of document.querySelectorAll('[data-live]')) was.set(each.id, each.innerHTML)
  const lost = document.getElementById('lost')
  let asking = false
  let again = false
  let behind = false
  let heard = Date.now()
  let losing = 0

  const words = JSON.parse(root.dataset.relative)
  const number = new Intl.NumberFormat(root.dataset.intl)
  const said = (s, by) => {
    const [size, unit] =
      s < 60 ? [1, 's'] : s < 3600 ? [60, 'min'] : s < 172800 ? [3600, 'h'] : [86400, 'd']
    return by[unit].replace('#', number.format(Math.floor(s / size)))
  }

  const showAges = () => {
    const now = Date.now() + ahead
    for (const time of document.querySelectorAll('time[data-ago]')) {
      const s = (Date.parse(time.dateTime) - now) / 1000
      const text = s > 0 ? said(s, words.in) : said(-s, words.ago)
      if (time.textContent !== text) time.textContent = text
    }
  }

  const say = (text) => {
    if (note.textContent !== text) note.textContent = text
  }
  const grey = () => {
    const at = new Date(heard + ahead)
    const time = lost.querySelector('time')
    time.dateTime = at.toISOString()
    time.textContent = at.toLocaleString(root.dataset.intl, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
    root.dataset.lost = ''
    lost.hidden = false
  }
  let out = false
  const signedOut = () => {
    out = true
    source.close()
    note.innerHTML = reload
    root.dataset.lost = ''
    lost.hidden = true
    document.getElementById('out').hidden = false
  }
  const lose = () => {
    if (out) return
    note.innerHTML = reload
    losing ||= setTimeout(grey, 5000)
  }
  const alive = () => {
    heard = Date.now()
    clearTimeout(losing)
    losing = 0
    delete root.dataset.lost
    lost.hidden = true
    say(note.dataset.liveWord)
  }

  const list = (page) => [...page.querySelectorAll('[data-monitor]')].map((row) => row.id).sort().join()

  const icon = (page) => page.querySelector('link[rel=icon]')
  const downIn = (page) => new Map([...page.querySelectorAll('#down a')].map((a) => [a.pathname, a.text]))
  const newly = document.getElementById('newly')
  let known = downIn(document)
  const latest = new Map()

  const announce = (page) => {
    document.title = page.title
    if (icon(page).href !== icon(document).href) icon(document).href = icon(page).href
    const down = downIn(page)
    for (const [path, name] of down) if (!known.has(path)) latest.set(path, name)
    for (const path of latest.keys()) if (!down.has(path)) latest.delete(path)
    known = down
    const links = [...latest].slice(-3).map(([path, name]) => {
      const link = document.createElement('a')
      const row = 'm' + path.split('/').pop() + '-link'
      link.href = document.getElementById(row) ? '#' + row : path
      link.textContent = name
      return link
    })
    const more = latest.size > 3 ? newly.dataset.more.replace('#', latest.size - 3) : ''
    const next = document.createElement('p')
    next.append(newly.dataset.lead, ...links.flatMap((link, at) => (at ? [', ', link] : [link])), more)
    if (newly.innerHTML !== next.innerHTML) newly.replaceChildren(...next.childNodes)
    newly.hidden = latest.size === 0
  }

  const put = (fresh) => {
    const first = (page) => page.getElementById('first')
    if (first(document) && !first(fresh)) location.reload()
    document.getElementById('news').hidden = list(fresh) === list(document)
    announce(fresh)
    for (const old of document.querySelectorAll('[data-live]')) {
      const now = fresh.getElementById(old.id)
      if (!now || now.innerHTML === was.get(old.id)) continue
      const focus = old.contains(document.activeElement) ? document.activeElement.id : null
      if (focus !== null && (focus === '' || !fresh.getElementById(focus))) continue
      const open = [...old.querySelectorAll('details[open]')].map((each) => each.id)
      const marked = [...old.querySelectorAll('input:checked')].map((each) => each.id)
      was.set(old.id, now.innerHTML)
      old.className = now.className
      old.replaceChildren(...now.childNodes)
      for (const id of open) document.getElementById(id)?.setAttribute('open', '')
      for (const id of marked) document.getElementById(id)?.toggleAttribute('checked', true)
      if (focus) document.getElementById(focus).focus({ preventScroll: true })
    }
    const stamp = fresh.getElementById('as-of')
    if (stamp) document.getElementById('as-of').replaceWith(stamp)
    showAges()
  }

  const refresh = async () => {
    if (document.hidden || asking) {
      again = true
      return
    }
    asking = true
    again = false
    try {
      const answer = await fetch(location.href, { redirect: 'manual' })
      if (answer.type === 'opaqueredirect' || answer.status === 403) return signedOut()
      if (!answer.ok) throw new Error(answer.status)
      put(new DOMParser().parseFromString(await answer.text(), 'text/html'))
      behind = false
      alive()
    } catch {
      behind = true
      lose()
    }
    asking = false
    if (again) refresh()
  }

  let met = false
  const source = new EventSource(root.dataset.events)
  source.addEventListener('change', refresh)
  source.addEventListener('beat', () => (behind ? refresh() : alive()))
  source.addEventListener('open', () => {
    if (met) refresh()
    else alive()
    met = true
  })
  source.addEventListener('error', () => (source.readyState === 2 ? refresh() : lose()))
  document.addEventListener('visibilitychange', () => {
    showAges()
    if (again) refresh()
  })
  addEventListener('pagehide', () => source.close())
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload()
  })
  setInterval(() => {
    showAges()
    if (Date.now() - heard > 60000) lose()
  }, 5000)

  const target = location.hash && document.getElementById(location.hash.slice(1))
  if (target && target.tagName === 'DETAILS') target.open = true
})()
`

/** Without its indentation. */
export const SCRIPT = SOURCE.replace(/^ +/gm, '')
