import type { Serving } from '../rig/serving.ts'
import type { Attack } from './attack.ts'
import { FLOOD_BOUND } from './flood.ts'
import { create, STRANGERS_BOUND, underVisitors } from './visitors.ts'
import type { Visit } from './visitors.ts'

const SERVICES = 8
const REPORTS = 50
/** The longest text of a report; each character becomes several in HTML and XML. */
const TEXT = '&\n\n'.repeat(1666)
const PARTS = ['', '/feed.atom', '/feed.rss', '/status.json', '/history', '/badge.svg']

export const publishedPages: Attack = {
  name: 'published-pages',
  does: 'Asks for a public page with 50 long reports, its feeds, history and badge on 100 connections.',
  bound: `${FLOOD_BOUND}, ${STRANGERS_BOUND}`,
  attempt: () => underVisitors(publish),
}

async function publish(serving: Serving): Promise<Visit[]> {
  const monitor_ids: number[] = []
  for (let n = 0; n < SERVICES; n++) {
    const settings = { type: 'heartbeat', name: `Service ${n}` }
    const { monitor } = await create<{ monitor: { id: number } }>(serving, 'monitors', settings)
    monitor_ids.push(monitor.id)
  }
  const page = { title: 'Shop', slug: 'shop', groups: [{ name: 'All', monitors: monitor_ids }] }
  const made = await create<{ public_page: { id: number } }>(serving, 'public-pages', page)
  const report = { page_ids: [made.public_page.id], monitor_ids, text: TEXT }
  for (let n = 0; n < REPORTS; n++)
    await create(serving, 'status-reports', { title: `Report ${n}`, ...report })
  return PARTS.map((part) => ({ path: `/status/shop${part}` }))
}
