import { describe, expect, it } from 'vitest'
import type { StatusPageOptions } from '../../src/page/index.ts'
import { inWords } from '../../src/page/monitor/measured.ts'
import { site } from './visit.ts'

async function signedIn(options: StatusPageOptions = {}) {
  const made = await site(options)
  const visitor = made.visitor()
  await visitor.signIn()
  return { ...made, visitor }
}

describe('the page of a job that signals', () => {
  it('says what address the job has to call, and nothing of places and response times', async () => {
    const { engine, visitor } = await signedIn()
    const { id, token = '' } = await engine.monitors.create({ type: 'heartbeat', name: 'Backup' })
    const text = await visitor.text(`/monitors/${id}`)
    expect(token).not.toBe('')
    expect(text).toContain(`/hb/${token}`)
    for (const heading of ['Locations', 'Response time']) expect(text).not.toContain(heading)
  })

  it('keeps the address from those who may only look', async () => {
    const { engine, visitor } = await signedIn({
      authorize: () => ({ account_id: 1, read_only: true }),
    })
    const { id, token = '' } = await engine.monitors.create({ type: 'heartbeat', name: 'Backup' })
    const text = await visitor.text(`/monitors/${id}`)
    expect(text).toContain('Backup')
    expect(text).not.toContain(token)
  })
})

describe('the response times', () => {
  it('say that there are none where no check was good, instead of an empty scale', async () => {
    const { create, failing, visitor, clock } = await signedIn()
    failing.set('a.test', 'No')
    const id = await create('a.test', { fail_threshold: 1 })
    await clock.advance(1000)
    expect(await visitor.text(`/monitors/${id}`)).toContain('No good check in this time')
    failing.clear()
    await clock.advance(60_000)
    const text = await visitor.text(`/monitors/${id}`)
    expect(text).not.toContain('No good check in this time')
    // One quarter of an hour alone is a line of its width, not a point.
    const [, from, to] = /class="p50" d="M([\d.]+) [\d.]+L([\d.]+) /.exec(text) ?? []
    expect(Number(to) - Number(from)).toBeGreaterThan(5)
  })
})

describe('what a check measured', () => {
  it.each([
    ['text', 'text'],
    [12.5, '12.5'],
    [true, 'yes'],
    [['DNS:a.test', 'DNS:b.test'], 'DNS:a.test, DNS:b.test'],
    [[], 'none'],
    [{ type: 'rsa', bits: 2048, curve: null, weak: false }, 'type rsa, bits 2048, weak no'],
    [
      [
        { url: 'http://a.test', status: 301 },
        { url: 'http://b.test', status: 200 },
      ],
      'url http://a.test, status 301; url http://b.test, status 200',
    ],
  ])('is said in words: %j', (value, words) => {
    expect(inWords(value)).toBe(words)
  })

  it('has its bounds', () => {
    expect(inWords('x'.repeat(5000))).toHaveLength(1001)
    expect(inWords(Array.from({ length: 30 }, (_, at) => at))).toMatch(/19, and 10 more$/)
  })
})
