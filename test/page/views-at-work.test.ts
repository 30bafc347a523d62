/** Many views and forms of one account at once: few are worked on, and those of others do not wait for them. */

import { describe, expect, it } from 'vitest'
import { AT_WORK } from '../../src/access/turns.ts'
import { memoryStore } from '../../src/store/memory.ts'
import type { IncidentQuery } from '../../src/store/store.ts'
import { OTHER_KEY, site } from './visit.ts'

/** Lists of incidents of the first account do not end before `release`. */
async function slow() {
  let asked = 0
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  const store = (clock: Parameters<typeof memoryStore>[0]) => {
    const memory = memoryStore(clock)
    const list = async (query: IncidentQuery) => {
      asked++
      if (query.account_id === 1) await released
      return memory.incidents.list(query)
    }
    return { ...memory, incidents: { ...memory.incidents, list } }
  }
  const made = await site({}, { store: (clock) => store({ clock }) })
  const [own, other] = [made.visitor(), made.visitor()]
  await own.signIn()
  await other.signIn(OTHER_KEY)
  const views = Array.from({ length: AT_WORK }, () => own.get('/incidents'))
  await expect.poll(() => asked).toBe(AT_WORK)
  return { ...made, own, other, views, release }
}

describe('beside many views of one account', () => {
  it('its other views wait, and those of another account do not', async () => {
    const { own, other, views, release } = await slow()
    const done: string[] = []
    const waiting = own.get('/contacts').then(({ status }) => done.push(`own ${status}`))
    expect((await other.get('/contacts')).status).toBe(200)
    expect((await other.get('/incidents')).status).toBe(200)
    expect(done).toEqual([])
    release()
    await waiting
    expect(done).toEqual(['own 200'])
    expect((await Promise.all(views)).map(({ status }) => status)).toEqual(views.map(() => 200))
  })

  it('its buttons work', async () => {
    const { create, engine, own, views, release } = await slow()
    const id = await create('fine.test')
    expect((await own.post(`/monitors/${id}/pause`)).status).toBe(303)
    expect((await engine.monitors.get(id)).state).toBe('paused')
    release()
    await Promise.all(views)
  })

  it('a view whose key is revoked while it waits is that of a stranger', async () => {
    const { clock, engine, own, views, release } = await slow()
    const late = own.get('/contacts')
    // Behind the late one.
    await engine.monitors.list()
    const [key] = await engine.keys.list()
    await engine.keys.revoke(key?.id ?? 0)
    await clock.advance(2000)
    release()
    const answer = await late
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/sign-in?return=%2Fcontacts',
    ])
    await Promise.all(views)
  })
})
