/** `If-Match` with several tags, and what else the routes of REST have in common. */
import { expect, it } from 'vitest'
import { client, tcpMonitor } from './client.ts'

const window = { cron: '0 22 * * 5', duration_min: 90 }
const report = { title: 'A', page_ids: [1], text: 'a' }

/** What makes one of each resource, and the requests that change it, in their order. */
const CHANGES: readonly (readonly [
  string,
  object,
  readonly (readonly [string, string, object?])[],
])[] = [
  [
    ...(['monitors', tcpMonitor] as const),
    [
      ['PATCH', '', { name: 'B' }],
      ['POST', '/check'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['DELETE', ''],
    ],
  ],
  [
    ...(['contacts', { kind: 'webhook', name: 'Ops', url: 'http://127.0.0.1:9/' }] as const),
    [
      ['PATCH', '', { name: 'B' }],
      ['DELETE', ''],
    ],
  ],
  [
    ...(['maintenance', { name: 'A', window, all_monitors: true }] as const),
    [
      ['PATCH', '', { name: 'B' }],
      ['DELETE', ''],
    ],
  ],
  [
    ...(['status-reports', report] as const),
    [
      ['PATCH', '', { title: 'B' }],
      ['POST', '/updates', { status: 'resolved', text: 'b' }],
      ['DELETE', ''],
    ],
  ],
  [
    ...(['public-pages', { title: 'Store', slug: 'store' }] as const),
    [
      ['PATCH', '', { title: 'B' }],
      ['DELETE', ''],
    ],
  ],
]

it.each(CHANGES)(
  '%s change where one of several tags is that of the version',
  async (path, made, all) => {
    const { ask, engine } = client({ manageContacts: true })
    await engine.start()
    await ask('POST', '/api/v1/public-pages', { body: { title: 'Shop', slug: 'shop' } })
    const { headers } = await ask('POST', `/api/v1/${path}`, { body: made })
    const at = headers.get('location') ?? ''
    for (const [method, below, body] of all) {
      const send = (tags: string) =>
        ask(method, at + below, { ...(body && { body }), headers: { 'If-Match': tags } })
      const late = await send('"97.a", "98.b"')
      expect([method, below, late.status]).toEqual([method, below, 412])
      const tag = (await ask('GET', at)).headers.get('etag') ?? ''
      const { status } = await send(`"99.x", ${tag}`)
      expect([method, below, status]).toEqual([method, below, below === '/check' ? 202 : 200])
    }
  },
)

it('many monitors are checked only by a key with checks:run, and paused without it', async () => {
  const scopes = ['monitors:write'] as const
  const { ask } = client({ authenticate: () => ({ account_id: 1, key: { id: 1, scopes } }) })
  const bulk = (action: string) =>
    ask('POST', '/api/v1/monitors/bulk', { body: { action, filter: { all: true } } })
  expect((await bulk('pause')).status).toBe(200)
  expect((await bulk('check')).body).toMatchObject({ error: 'missing_scope', scope: 'checks:run' })
})

it('incidents of one monitor come in pages', async () => {
  const { ask, create, engine } = client()
  await engine.start()
  await create({ ...tcpMonitor, host: 'down.example', fail_threshold: 1 })
  for (const _ of [1, 2]) {
    await ask('POST', '/api/v1/monitors/1/check?wait=1')
    await ask('POST', '/api/v1/monitors/1/pause')
    await ask('POST', '/api/v1/monitors/1/resume')
  }
  const page = async (cursor: string) => {
    const path = `/api/v1/monitors/1/incidents?limit=1&cursor=${cursor}`
    const { body } = await ask('GET', path)
    return body as { incidents: { id: number }[]; next_cursor: string | null }
  }
  const first = await page('')
  const second = await page(first.next_cursor ?? 'none')
  expect([first.incidents[0]?.id, second.incidents[0]?.id, second.next_cursor]).toEqual([
    ...[2, 1, null],
  ])
})

it('the document names the answers that have a tag', async () => {
  const { ask } = client({ manageContacts: true })
  const { body } = await ask('GET', '/api/v1/openapi.json')
  const { paths } = body as {
    paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>
  }
  const tagged = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { responses }]) =>
        Object.values(responses).some(({ headers }) => 'ETag' in (headers ?? {})),
      )
      .map(([method]) => `${method} ${path.replace('/api/v1/', '')}`),
  )
  const resources = ['contacts', 'maintenance', 'monitors', 'public-pages', 'status-reports']
  expect(tagged.toSorted()).toEqual(
    [
      ...resources.flatMap((name) => [`get ${name}/{id}`, `patch ${name}/{id}`, `post ${name}`]),
      ...['check', 'pause', 'resume'].map((action) => `post monitors/{id}/${action}`),
      ...['post status-reports/{id}/updates', 'get openapi.json'],
    ].toSorted(),
  )
})
