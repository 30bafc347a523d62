/** The built-in types through the API, held against the fields that the specification has for each. */

import { describe, expect, it } from 'vitest'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { createRest } from '../../src/rest/index.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { sampleSettings } from '../support/sample-settings.ts'
import { SPECIFIED_COMMON_FIELDS, SPECIFIED_FIELDS } from '../support/specified-fields.ts'
import { requestTo } from './client.ts'
import { KEY } from './service.ts'

interface FieldRow {
  readonly name: string
  readonly required: boolean
}

async function api() {
  const engine = createEngine({
    store: memoryStore(),
    checkers: builtinCheckers({ extra: true }),
    locations: ['fra', 'nyc', 'sin'],
    logger: false,
  })
  await engine.open()
  await engine.keys.create({ key: KEY })
  const contact = { kind: 'webhook', name: 'Ops', url: 'https://hooks.example/' } as const
  const { id: contact_id } = await engine.contacts.create(contact)
  const { fetch } = createRest(engine, { rateLimit: false })
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers are of every shape
  const ask = async (method: string, path: string, body?: object): Promise<any> =>
    (await fetch(requestTo(method, `/api/v1${path}`, body === undefined ? {} : { body }))).json()
  return { ask, contact_id }
}

describe('GET /types', () => {
  it('has every field of every type, the required ones marked', async () => {
    const { ask } = await api()
    const types = (await ask('GET', '/types')).types as { type: string; fields: FieldRow[] }[]
    expect(types.map(({ type }) => type)).toEqual(
      builtinCheckers({ extra: true }).map(({ type }) => type),
    )
    for (const { type, fields } of types) {
      const told = fields.map(({ name, required }) => (required ? `${name}*` : name))
      expect(told).toEqual(expect.arrayContaining(SPECIFIED_FIELDS[type]?.split(', ') ?? []))
    }
  })

  it('has the fields that all types share', async () => {
    const { ask } = await api()
    const fields = (await ask('GET', '/types')).common_fields as FieldRow[]
    const names = fields.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...SPECIFIED_COMMON_FIELDS]))
  })
})

describe('a monitor of the type', () => {
  it.each(builtinCheckers({ extra: true }).map((checker) => [checker.type, checker] as const))(
    '%s takes all common fields',
    async (type, checker) => {
      const { ask, contact_id } = await api()
      const common: Readonly<Record<(typeof SPECIFIED_COMMON_FIELDS)[number], unknown>> = {
        name: 'Shop',
        interval_sec: 43_200,
        timeout_ms: 9000,
        location_ids: [1, 3],
        confirm_locations: 2,
        fail_threshold: 3,
        recover_threshold: 4,
        notify_repeat_min: 30,
        notify_repeat_max: 5,
        notify_recovery: false,
        tags: ['a', 'b'],
        contact_ids: [contact_id],
        contact_delay: { [contact_id]: 10 },
      }
      const created = await ask('POST', '/monitors', {
        type,
        ...sampleSettings(checker, 443),
        ...common,
      })
      expect(created).toMatchObject({ ok: true, monitor: { type, state: 'pending', ...common } })
      const { id } = created.monitor as { id: number }
      expect(Number.isInteger(id)).toBe(true)
      expect((await ask('GET', `/monitors/${id}`)).monitor).toMatchObject({ type, ...common })
    },
  )
})
