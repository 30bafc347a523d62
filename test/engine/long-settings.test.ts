/** Contacts with long templates, and pages with long styles, keep nobody else from having a turn. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tcp } from '../../src/checkers/tcp.ts'
import { emailContact } from '../../src/contacts/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

const TURN_MS = 50
const KEY = 'key-of-the-account'

function sqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-long-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return sqliteStore({ file: join(folder, 'data.db') })
}

const mail = (chars: number) => ({
  kind: 'email' as const,
  name: 'Team',
  host: '127.0.0.1',
  from: 'a@b.example',
  to: ['c@d.example'],
  template: {
    events: Object.fromEntries(
      ['down', 'up', 'test', 'blacklisted'].map((event) => [
        event,
        { body: 'y'.repeat(Math.floor(chars / 4)) },
      ]),
    ),
  },
})

describe.each([
  ['memory', memoryStore],
  ['SQLite', sqlite],
])('with a store in %s', (_, make) => {
  async function account() {
    const engine = createEngine({
      store: make(),
      checkers: [tcp()],
      contacts: [emailContact({ guard: { allowCidrs: ['127.0.0.1/32'] } })],
      quotas: { public_pages: 1000 },
      logger: false,
    })
    onTestFinished(() => engine.stop())
    await engine.open()
    await engine.keys.create({ key: KEY })
    const rest = createRest(engine, { rateLimit: false, logger: false, manageContacts: true })
    const get = async (path: string): Promise<Record<string, unknown>> => {
      const headers = { authorization: `Bearer ${KEY}` }
      const answer = await rest.fetch(new Request(`http://localhost/api/v1${path}`, { headers }))
      return (await answer.json()) as Record<string, unknown>
    }
    return { engine, get }
  }

  it('contacts have four million characters of long settings in all; short ones stay possible', async () => {
    const { engine, get } = await account()
    const made: number[] = []
    let refused: unknown
    while (refused === undefined && made.length < 100)
      await engine.contacts.create(mail(60_000)).then(
        ({ id }) => made.push(id),
        (error: unknown) => (refused = error),
      )
    expect(refused).toMatchObject({ code: 'quota' })
    expect(made).toHaveLength(69)
    await engine.contacts.create({ ...mail(400), name: 'Short' })
    const short = await engine.contacts.create({ ...mail(400), name: 'Grows' })
    await expect(engine.contacts.update(short.id, mail(60_000))).rejects.toMatchObject({
      code: 'quota',
    })
    await engine.contacts.update(made[0] ?? 0, { ...mail(60_000), name: 'Renamed' })
    const reading = () => measureTurns(() => get('/contacts'))
    const { value, longest_ms } = await leastOf(3, reading, TURN_MS)
    expect(value['contacts']).toHaveLength(71)
    expect(longest_ms).toBeLessThan(TURN_MS)
  })

  it('pages are listed a million characters at a time, and all of them', async () => {
    const { engine, get } = await account()
    const css = 'a{color:red}'.repeat(1300)
    const logo = `data:image/png;base64,${'A'.repeat(64_000)}`
    for (let n = 0; n < 120; n++)
      await engine.publicPages.create({ title: 'Shop', slug: `shop-${n}`, groups: [], css, logo })
    const reading = () => measureTurns(() => get('/public-pages?limit=100'))
    const { longest_ms } = await leastOf(3, reading, TURN_MS)
    expect(longest_ms).toBeLessThan(TURN_MS)
    const slugs: string[] = []
    for (let after: number | null = null; slugs.length < 200;) {
      const { items, next } = await engine.publicPages.list({
        limit: 100,
        ...(after === null ? {} : { after }),
      })
      expect(JSON.stringify(items).length).toBeLessThan(1_200_000)
      slugs.push(...items.map(({ slug }) => slug))
      after = next
      if (after === null) break
    }
    expect(slugs).toEqual(Array.from({ length: 120 }, (_page, n) => `shop-${n}`))
  })
})
