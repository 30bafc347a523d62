/** A session or a right that is gone by the time when a form has arrived. */

import { describe, expect, it } from 'vitest'
import type { StatusPageOptions } from '../../src/page/index.ts'
import { ORIGIN, site } from './visit.ts'
import type { Site } from './visit.ts'

/** More than the second for which the first look at a session is relied on. */
const LONG_MS = 2000

/** Presses "pause" with a form of which the last byte comes after `meanwhile`. */
async function pauseSlowly(
  { page }: Site,
  { id, cookie = '' }: { readonly id: number; readonly cookie?: string },
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await meanwhile()
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = {
    cookie,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const address = new URL(`/monitors/${id}/pause`, ORIGIN)
  const init = { method: 'POST', headers, body, duplex: 'half' } as const
  return (await page.fetch(new Request(address, init))).status
}

async function signedIn(options: StatusPageOptions = {}) {
  const made = await site(options)
  const id = await made.create('fine.test')
  const browser = made.visitor()
  if (options.authorize === undefined) await browser.signIn()
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const state = async () => (await made.engine.monitors.get(id)).state
  return { ...made, id, browser, cookie, state }
}

describe('a form that takes longer than a second', () => {
  it('is taken from a session that is still valid', async () => {
    const made = await signedIn()
    expect(await pauseSlowly(made, made, () => made.clock.advance(LONG_MS))).toBe(303)
    expect(await made.state()).toBe('paused')
  })

  it('is refused if the key of the session was revoked meanwhile', async () => {
    const made = await signedIn()
    const [key] = await made.engine.keys.list()
    const status = await pauseSlowly(made, made, async () => {
      await made.engine.keys.revoke(key?.id ?? 0)
      await made.clock.advance(LONG_MS)
    })
    expect([status, await made.state()]).toEqual([403, 'up'])
  })

  it('is refused after a sign-out', async () => {
    const made = await signedIn()
    const status = await pauseSlowly(made, made, async () => {
      await made.browser.post('/sign-out')
      await made.clock.advance(LONG_MS)
    })
    expect([status, await made.state()]).toEqual([403, 'up'])
  })

  it('is refused if the host has taken the right to act, or names another account by then', async () => {
    let access: { account_id: number; read_only?: boolean } | null = { account_id: 1 }
    const made = await signedIn({ authorize: () => access })
    const other = made.other.account_id
    for (const later of [null, { account_id: 1, read_only: true }, { account_id: other }]) {
      access = { account_id: 1 }
      const status = await pauseSlowly(made, made, async () => {
        access = later
        await made.clock.advance(LONG_MS)
      })
      expect([status, await made.state()]).toEqual([403, 'up'])
    }
  })
})

describe('a form for several monitors that waits for another action on them', () => {
  it.each([
    ['is carried out for a session that is still valid', false, 303, 'paused'],
    ['is refused if the key of the session was revoked meanwhile', true, 403, 'up'],
  ])('%s', async (_, revoked, status, state) => {
    const made = await signedIn()
    const { monitors, keys } = made.engine
    let open: () => void = () => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    const tagging = { action: 'tag', add_tags: ['first'], filter: { all: true } } as const
    const first = monitors.bulk(tagging, { permitted: () => gate })
    const answer = made.browser.post('/monitors/several', { do: 'pause', id: String(made.id) })
    await made.clock.settle()
    const [key] = await keys.list()
    if (revoked) await keys.revoke(key?.id ?? 0)
    await made.clock.advance(LONG_MS)
    open()
    await first
    expect([(await answer).status, await made.state()]).toEqual([status, state])
  })
})
