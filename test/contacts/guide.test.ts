import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../scripts/steps.mjs'
import { builtinContacts } from '../../src/contacts/index.ts'
import { parse } from '../../src/fields/parse.ts'
import type { JsonObject } from '../../src/model.ts'
import type { AnyContactKind } from '../../src/webhook/contact-kind.ts'

const kinds: readonly AnyContactKind[] = builtinContacts()
const guide = readFileSync(join(root, 'docs/guide/contacts.md'), 'utf8')
const examples = [...guide.matchAll(/```json\n([^]*?)```/g)].map(
  ([, text = '']) => JSON.parse(text) as JsonObject,
)

it('the guide has an example of every kind but the webhook', () => {
  const shown = examples.map(({ kind }) => kind)
  expect([...new Set(['webhook', ...shown])].sort()).toEqual(kinds.map(({ kind }) => kind).sort())
})

it.each(examples)('the example of $kind $name is one that can be saved', async (example) => {
  const { kind: name, name: _name, all_monitors: _all, ...settings } = example
  const kind = kinds.find((each) => each.kind === name)
  const parsed = parse(kind?.fields ?? {}, settings)
  expect(parsed).toMatchObject({ ok: true })
  const stored = parsed.ok ? parsed.value : {}
  expect(await kind?.check(stored, { resolve: () => ['93.184.216.34'] })).toEqual({})
})
