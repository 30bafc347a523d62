import { describe, expect, it } from 'vitest'
import { ntfyContact } from '../../src/contacts/index.ts'
import { EVENTS, hostile, LOOPBACK, receiver, rig, told } from './rig.ts'

const ntfy = ntfyContact({ guard: LOOPBACK })

it('is published as JSON to the root of the server', async () => {
  const server = await receiver()
  const settings = { server: server.url, topic: 'ops', token: 'tk_abc' }
  await rig(ntfy).attempt(settings, told('down'))
  const { path, headers, json } = server.only()
  expect(path).toBe('/')
  expect(headers.authorization).toBe('Bearer tk_abc')
  expect(json).toEqual({
    topic: 'ops',
    title: 'Shop is down',
    message: [
      'Target: https://shop.example/',
      'Cause: Got status 503, expected 200-299',
      'Since: 2026-01-01 11:58:30 UTC',
    ].join('\n'),
    tags: ['red_circle'],
    priority: 4,
    click: 'https://shop.example/',
  })
})

it('is as urgent as it was set for failures, and ordinary for all else', async () => {
  const server = await receiver()
  const { attempt } = rig(ntfy)
  for (const event of ['down', 'repeat', 'up', 'test']) {
    await attempt({ server: server.url, topic: 'ops', priority: 5 }, told(event))
  }
  expect(server.received.map(({ json }) => (json as { priority: number }).priority)).toEqual([
    5, 5, 3, 3,
  ])
  expect(server.received[0]?.headers.authorization).toBeUndefined()
})

it('keeps to 4096 bytes, and never has an empty message, whatever it is told', async () => {
  const server = await receiver()
  const { attempt } = rig(ntfy)
  for (const delivery of [...EVENTS, hostile(), hostile('of_another_kind')]) {
    await attempt({ server: server.url, topic: 'ops' }, delivery)
  }
  for (const { json } of server.received) {
    expect(json.title.length).toBeGreaterThan(0)
    expect(json.message.length).toBeGreaterThan(0)
    expect(Buffer.byteLength(json.message)).toBeLessThanOrEqual(4096)
  }
})

describe('the settings', () => {
  it('know ntfy.sh, and refuse what is no topic or no token', async () => {
    expect(ntfy.fields.server.fallback).toBe('https://ntfy.sh/')
    const { problems } = rig(ntfy)
    const server = 'http://127.0.0.1:9'
    expect(Object.keys(await problems({ server, topic: 'a/b' }))).toEqual(['topic'])
    expect(Object.keys(await problems({ server, topic: 'ops', token: 'a b' }))).toEqual(['token'])
    expect(Object.keys(await problems({ server: 'ftp://x', topic: 'ops' }))).toEqual(['server'])
  })
})
