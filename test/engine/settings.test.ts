import { describe, expect, it } from 'vitest'
import { requestServicesOf } from '../../src/engine/services/request-services.ts'
import { ValidationError } from '../../src/errors.ts'
import { rig } from './rig.ts'
import type { Rig } from './rig.ts'

async function problemsOf(r: Rig, input: object): Promise<Readonly<Record<string, string>>> {
  try {
    await r.engine.monitors.create({ type: 'scripted', host: 'a.test', ...input })
  } catch (error) {
    if (error instanceof ValidationError) return error.fields
    throw error
  }
  return {}
}

describe('the common settings', () => {
  it('have the documented defaults', async () => {
    const r = await rig({ locations: ['fra', 'nyc', 'sin'] })
    const monitor = await r.engine.monitors.create({ type: 'scripted', host: 'a.test' })
    expect(monitor).toMatchObject({
      name: 'a.test',
      interval_sec: 60,
      timeout_ms: 10_000,
      location_ids: [1, 2, 3],
      confirm_locations: 2,
      fail_threshold: 2,
      recover_threshold: 1,
      notify_repeat_min: 0,
      notify_repeat_max: 0,
      notify_recovery: true,
      tags: [],
      contact_ids: [],
      contact_delay: {},
    })
    const single = await rig()
    expect(await single.engine.monitors.create({ type: 'scripted', host: 'a.test' })).toMatchObject(
      { confirm_locations: 1 },
    )
  })

  it('leave a short interval room: the default deadline is within it, one that was asked for is kept', async () => {
    const { engine } = await rig()
    const created = (input: object) =>
      engine.monitors.create({ type: 'scripted', host: 'a.test', ...input })
    expect(await created({ interval_sec: 10 })).toMatchObject({ timeout_ms: 8000 })
    expect(await created({ interval_sec: 11 })).toMatchObject({ timeout_ms: 10_000 })
    expect(await created({ interval_sec: 10, timeout_ms: 9999 })).toMatchObject({
      timeout_ms: 9999,
    })
  })

  it.each([
    [{ interval_sec: 9 }, { interval_sec: 'out_of_range: 10..2678400' }],
    [{ interval_sec: 60.5 }, { interval_sec: 'invalid: an integer is expected' }],
    [{ interval_sec: '60' }, { interval_sec: 'invalid: an integer is expected' }],
    [{ timeout_ms: 499 }, { timeout_ms: 'out_of_range: 500..60000' }],
    [
      { interval_sec: 10, timeout_ms: 10_000 },
      { timeout_ms: 'out_of_range: must be less than interval_sec' },
    ],
    [{ location_ids: [] }, { location_ids: 'out_of_range: 1..100 items' }],
    [{ location_ids: [1, 99] }, { location_ids: 'invalid: entry 2: there is no location 99' }],
    [
      { confirm_locations: 2 },
      { confirm_locations: 'out_of_range: 1..1 (the number of locations)' },
    ],
    [{ fail_threshold: 0 }, { fail_threshold: 'out_of_range: 1..20' }],
    [{ notify_recovery: 'yes' }, { notify_recovery: 'invalid: true or false is expected' }],
    [{ tags: ['ok', 5] }, { tags: 'invalid: entry 2: a string is expected' }],
    [
      { tags: [5, 'ok', 'x'.repeat(65), true] },
      {
        tags: 'invalid: entry 1: a string is expected; out_of_range: entry 3: 1..64 characters; invalid: entry 4: a string is expected',
      },
    ],
    [{ contact_ids: [7] }, { contact_ids: 'invalid: entry 1: there is no contact 7' }],
    [
      { contact_ids: [7, 8] },
      { contact_ids: 'invalid: entry 1: there is no contact 7; entry 2: there is no contact 8' },
    ],
    [{ contact_delay: { x: 1 } }, { contact_delay: 'invalid: "x": the key is a contact id' }],
    [{ contact_delay: { '1': -1 } }, { contact_delay: 'out_of_range: "1": 0..10080' }],
    [{ contact_delay: { '7': 5 } }, { contact_delay: 'invalid: "7": there is no contact 7' }],
    [{ interval: 60 }, { interval: 'unknown_field' }],
    [{ intervall_sec: 60 }, { intervall_sec: 'unknown_field: did you mean "interval_sec"?' }],
    [{ name: 'a\r\nb' }, { name: 'invalid: line breaks are not allowed' }],
    [
      { type: 'carrier-pigeon' },
      { type: 'invalid: there is no type "carrier-pigeon"; one of scripted is expected' },
    ],
    [{ type: null }, { type: 'required' }],
  ])('%j is refused', async (input, problems) => {
    expect(await problemsOf(await rig(), input)).toEqual(problems)
  })

  it('takes delays of at most a hundred contacts', async () => {
    const contact_delay = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [n + 1, 5]))
    expect(await problemsOf(await rig(), { contact_delay })).toEqual({
      contact_delay: 'out_of_range: 0..100 entries',
    })
  })

  it('names every problem at once', async () => {
    expect(
      await problemsOf(await rig(), {
        host: 'not a host',
        interval_sec: 1,
        colour: 'red',
        level: 99,
      }),
    ).toEqual({
      host: 'invalid: a host name or IP address is expected',
      interval_sec: 'out_of_range: 10..2678400',
      colour: 'unknown_field',
      level: 'out_of_range: 0..10',
    })
  })

  it('keys that would reach a prototype are refused at any depth', async () => {
    const r = await rig()
    const input = JSON.parse(
      '{ "type": "scripted", "host": "a.test", "__proto__": { "x": 1 } }',
    ) as never
    const error = await r.engine.monitors.create(input).catch((thrown: unknown) => thrown)
    expect(Object.entries((error as ValidationError).fields)).toEqual([
      ['__proto__', 'unknown_field'],
    ])
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it('a wrong patch changes nothing', async () => {
    const r = await rig()
    const before = await r.engine.monitors.create({
      type: 'scripted',
      host: 'a.test',
      tags: ['x'],
    })
    await expect(
      r.engine.monitors.update(before.id, { level: 3, fail_threshold: 99, type: 'other' }),
    ).rejects.toBeInstanceOf(ValidationError)
    await expect(
      r.engine.monitors.update(before.id, { level: 3, fail_threshold: 99 }),
    ).rejects.toMatchObject({ fields: { fail_threshold: 'out_of_range: 1..20' } })
    await expect(
      r.engine.monitors.update(before.id, { level: 3 }, { version: 9 }),
    ).rejects.toMatchObject({ code: 'version_mismatch' })
    expect(await r.engine.monitors.get(before.id)).toEqual(before)
  })

  it('null takes a field back to its default, and what was read can be sent back', async () => {
    const r = await rig()
    const made = await r.engine.monitors.create({
      type: 'scripted',
      host: 'a.test',
      level: 5,
      secret: 'hunter2hunter2',
      fail_threshold: 7,
    })
    expect(
      await r.engine.monitors.update(made.id, { level: null, fail_threshold: null }),
    ).toMatchObject({ level: 1, fail_threshold: 2 })
    const read = await r.engine.monitors.get(made.id)
    const again = await r.engine.monitors.update(made.id, read as never)
    expect({ ...again, version: 0, updated_at: '' }).toEqual({
      ...read,
      version: 0,
      updated_at: '',
    })
  })
})

describe('what is gone', () => {
  it('a removed contact or location does not stand in the way of a later change', async () => {
    const r = await rig({ locations: ['fra', 'nyc'] })
    const { id: contact } = await r.engine.contacts.create({
      kind: 'recorder',
      name: 'ops',
      to: 'ops',
    })
    const input = {
      type: 'scripted',
      host: 'a.test',
      contact_ids: [contact],
      contact_delay: { [contact]: 5 },
    }
    const { id } = await r.engine.monitors.create(input)
    await r.engine.contacts.remove(contact)
    await r.engine.stop()
    const again = await r.restart({ locations: ['nyc'] })
    expect(await again.engine.monitors.update(id, { name: 'New' })).toMatchObject({
      name: 'New',
      contact_ids: [],
      contact_delay: {},
      location_ids: [2],
      confirm_locations: 1,
    })
  })
})

describe('secrets', () => {
  const secret = 'canary-s3cret-value'
  const secretKey = Buffer.alloc(32, 7).toString('base64')

  it('are never shown again, and a masked one is kept', async () => {
    const r = await rig()
    const made = await r.engine.monitors.create({
      type: 'scripted',
      host: 'a.test',
      secret,
    })
    expect(made.secret).toBe('***')
    await r.engine.monitors.update(made.id, { secret: '***', level: 2 })
    const [record] = await r.store.monitors.list({ account_id: 'all', limit: 10 })
    expect(record!.settings.secret).toBe(secret)
  })

  it('are sealed in the store where there is a key, and open only with it', async () => {
    const r = await rig({ secretKey })
    const made = await r.engine.monitors.create({
      type: 'scripted',
      host: 'a.test',
      secret,
    })
    await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops', secret })
    const stored = JSON.stringify([
      await r.store.monitors.list({ account_id: 'all', limit: 10 }),
      await r.store.contacts.list(1),
    ])
    expect(stored).not.toContain(secret)
    expect(stored).toContain('sealed:1:')
    // Changing another field does not disturb what is sealed.
    expect(await r.engine.monitors.update(made.id, { level: 2 })).toMatchObject({
      state: 'pending',
      secret: '***',
    })
    await r.engine.stop()
    // Watching the others only would be silence where somebody counts on an alarm.
    await expect(
      r.restart({ secretKey: Buffer.alloc(32, 8).toString('base64') }),
    ).rejects.toMatchObject({
      code: 'configuration',
    })
    await expect((await r.restart()).engine.monitors.get(made.id)).resolves.toMatchObject({
      state: 'pending',
    })
  })

  it('cannot be guessed by the digest of a request that was kept', async () => {
    const r = await rig({ secretKey })
    const reply = { request_hash: 'a'.repeat(64), status: 201, body: '{}' }
    await requestServicesOf(r.engine).idempotencyResponses.put(1, 'key', reply)
    const kept = await r.store.idempotencyResponses.get(1, 'key', r.clock.now())
    expect(JSON.stringify(kept)).not.toContain(reply.request_hash)
    expect(await requestServicesOf(r.engine).idempotencyResponses.get(1, 'key')).toMatchObject(
      reply,
    )
  })

  it('a key of another length is refused', async () => {
    await expect(rig({ secretKey: 'c2hvcnQ=' })).rejects.toMatchObject({ code: 'configuration' })
  })
})

describe('accounts', () => {
  it('see only what is theirs', async () => {
    const r = await rig()
    const { id: other } = await r.engine.accounts.create({ name: 'Other' })
    const mine = await r.engine.monitors.create({ type: 'scripted', host: 'a.test' })
    const contact = await r.engine.contacts.create({ kind: 'recorder', name: 'ops', to: 'ops' })
    const scope = r.engine.account(other)
    expect((await scope.monitors.list()).items).toEqual([])
    expect(await scope.contacts.list()).toEqual([])
    for (const call of [
      () => scope.monitors.get(mine.id),
      () => scope.monitors.update(mine.id, {}),
      () => scope.monitors.remove(mine.id),
      () => scope.monitors.pause(mine.id),
      () => scope.monitors.check(mine.id),
      () => scope.results.list(mine.id),
      () => scope.contacts.get(contact.id),
      () => scope.contacts.remove(contact.id),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'not_found' })
    }
    await expect(
      scope.monitors.create({
        type: 'scripted',
        host: 'b.test',
        contact_ids: [contact.id],
      }),
    ).rejects.toBeInstanceOf(ValidationError)
  })

  it('keys open their account until they are revoked', async () => {
    const r = await rig()
    const { key, view } = await r.engine.keys.create({ name: 'ci' })
    expect(key).toMatch(/^svc_[0-9A-Za-z]{49}$/)
    expect(await r.engine.authenticate(key)).toMatchObject({ account_id: 1, key: { name: 'ci' } })
    expect(JSON.stringify(await r.store.keys.list(1))).not.toContain(key)
    const last = key.at(-1) === 'a' ? 'b' : 'a'
    expect(await r.engine.authenticate(key.slice(0, -1) + last)).toBeUndefined()
    await r.engine.keys.revoke(view.id)
    expect(await r.engine.authenticate(key)).toBeUndefined()
  })

  it('keys of 16 to 512 characters with a name of at most 200 may be given', async () => {
    const { engine } = await rig()
    const shortest = { key: 'k'.repeat(16), name: 'n' }
    const longest = { key: 'k'.repeat(512), name: 'n'.repeat(200) }
    for (const given of [shortest, longest]) {
      await engine.keys.create(given)
      expect(await engine.authenticate(given.key)).toMatchObject({ key: { name: given.name } })
    }
    const refused = [
      [{ key: 'k'.repeat(15) }, 'key'],
      [{ key: 'k'.repeat(513) }, 'key'],
      [{ name: '' }, 'name'],
      [{ name: 'n'.repeat(201) }, 'name'],
      [{ scopes: [] }, 'scopes'],
    ] as const
    for (const [given, field] of refused)
      await expect(engine.keys.create(given)).rejects.toMatchObject({
        fields: { [field]: expect.any(String) as string },
      })
  })
})
