/** What every app with watchpost in it has to do, whatever carries it. */

import { expect } from 'vitest'
import type { App } from './frameworks.ts'

/** REST below `prefix`, the page at `/status`, the metrics at `/metrics`. */
export async function tryDoors({ origin, key }: App, prefix: string): Promise<void> {
  const api = `${origin}${prefix}/api/v1`
  const authorization = `Bearer ${key}`
  const json = { authorization, 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (url: string, headers: Record<string, string>, body?: string): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    })
  const statusOf = async (response: Response): Promise<number> => {
    await response.arrayBuffer()
    return response.status
  }

  const made = await post(
    `${api}/monitors`,
    json,
    '{"type":"heartbeat","name":"Bäckup","interval_sec":60}',
  )
  const { monitor } = (await made.json()) as { monitor: { ping_url: string; name: string } }
  expect([made.status, monitor.name]).toEqual([201, 'Bäckup'])

  // A program that always names a type, a form without a field, and nothing at all.
  const pause = `${api}/monitors/1/pause`
  const empty = [
    await post(pause, json),
    await post(`${api}/monitors/1/resume`, { authorization, ...form }, ''),
    await post(pause, { authorization }),
    await post(`${api}/monitors/1/resume`, json, '{}'),
  ]
  expect(await Promise.all(empty.map(statusOf))).toEqual([200, 200, 200, 200])

  const ping = `${origin}${prefix}${new URL(monitor.ping_url, origin).pathname}`
  const messages = ['disk 93% full', 'job=backup&files=12&note=a=b', '{"left":"1 GB"}']
  const sent = [
    await post(`${ping}/fail`, form, messages[0]),
    await post(`${ping}/log`, form, messages[1]),
    await post(`${ping}/log`, { 'content-type': 'application/json' }, messages[2]),
    await post(`${ping}/log`, { 'content-type': 'text/plain' }, 'plain + text'),
    await post(ping, form, ''),
  ]
  expect(await Promise.all(sent.map(statusOf))).toEqual([200, 200, 200, 200, 200])
  const results = await fetch(`${api}/monitors/1/results`, { headers: { authorization } })
  const known = JSON.stringify(await results.json())
  expect(known).toContain('disk 93% full')

  const large = `{"name":"${'x'.repeat(300_000)}"}`
  expect(await statusOf(await post(`${api}/monitors`, json, large))).toBe(413)

  const page = `${origin}/status`
  const wrong = await post(`${page}/sign-in`, { ...form, origin }, 'key=none&return=%2Fstatus%2F')
  expect(await statusOf(wrong)).toBe(401)
  const fields = new URLSearchParams({ key, return: '/status/monitors/1' }).toString()
  const signedIn = await post(`${page}/sign-in`, { ...form, origin }, fields)
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/status/monitors/1'])
  const cookie = (signedIn.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  expect(await (await fetch(`${page}/`, { headers: { cookie } })).text()).toContain('Bäckup')

  await live(page, cookie, () => post(`${page}/monitors/1/pause`, { ...form, cookie, origin }, ''))

  const metrics = await fetch(`${origin}/metrics`, { headers: { authorization } })
  expect([metrics.status, (await metrics.text()).includes('watchpost_')]).toEqual([200, true])
}

/** A change arrives while the response is still open, and in time: nothing on the way keeps it back. */
async function live(page: string, cookie: string, change: () => Promise<Response>): Promise<void> {
  const stop = new AbortController()
  const { status, body } = await fetch(`${page}/events?monitors=1`, {
    headers: { cookie },
    signal: stop.signal,
  })
  expect(status).toBe(200)
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const text = new TextDecoder()
  let heard = ''
  const until = async (what: RegExp): Promise<void> => {
    while (!what.test(heard)) {
      const { done, value } = await reader.read()
      if (done) throw new Error(`the stream ended: ${heard}`)
      heard += text.decode(value, { stream: true })
    }
  }
  await until(/retry:/)
  const changed = await change()
  expect(changed.status).toBe(303)
  await until(/event: change/)
  stop.abort()
}
