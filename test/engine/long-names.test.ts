/** Names that are longer than any: converting them takes the square of their length, and a request has 256 KiB. */
import { expect, it } from 'vitest'
import { dns } from '../../src/checkers/dns/index.ts'
import { emailContact } from '../../src/contacts/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/api/engine.ts'
import { fromGatus } from '../../src/importers/gatus/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { differentLetters } from '../support/hostile-documents/document.ts'
import { leastOf, measureTurns } from '../support/turns.ts'

/** Five times what is promised of a machine of one's own. */
const TURN_MS = 5 * 50

const LETTERS = differentLetters(20_000)
const ACCENTS = `a${'\u0301\u0323'.repeat(20_000)}`

const asked: Readonly<Record<string, (engine: Engine, text: string) => Promise<unknown>>> = {
  'a name server': ({ monitors }, text) =>
    monitors.create({ type: 'dns', dns_name: 'a.example', nameserver: [text] }),
  'a name server over HTTPS': ({ monitors }, text) =>
    monitors.create({ type: 'dns', dns_name: 'a.example', nameserver: [`https://${text}/`] }),
  'an e-mail address': ({ contacts }, text) =>
    contacts.create({
      ...{ kind: 'email', name: 'a', host: 'mail.example', from: 'a@b.example' },
      to: [`a@${text}`],
    }),
  'the logo of a page': ({ publicPages }, text) =>
    publicPages.create({ title: 'a', slug: 'a', logo: `https://${text}/` }),
}

it.each(Object.entries(asked))('%s is refused at once', async (_, ask) => {
  const engine = createEngine({
    store: memoryStore(),
    checkers: [dns()],
    contacts: [emailContact()],
  })
  await engine.open()
  for (const text of [LETTERS, ACCENTS]) {
    const refuse = () => expect(ask(engine, text)).rejects.toMatchObject({ code: 'validation' })
    const { longest_ms } = await leastOf(3, () => measureTurns(refuse), TURN_MS)
    expect(longest_ms).toBeLessThan(TURN_MS)
  }
  await engine.stop()
})

it('a name in a file of another tool becomes a key at once', async () => {
  const list = { endpoints: [{ name: ACCENTS, url: 'https://shop.example', conditions: [] }] }
  const read = async () => fromGatus(list)
  const { value, longest_ms } = await leastOf(3, () => measureTurns(read), TURN_MS)
  expect(value.monitors).toMatchObject([{ key: 'a', url: 'https://shop.example' }])
  expect(longest_ms).toBeLessThan(TURN_MS)
})
