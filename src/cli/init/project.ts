/**
 * The files of a new project: a program with an engine, lists of monitors and contacts, and a test of all of them.
 *
 * @module
 */

import { VERSION } from '../../version.ts'

/** Text by path below the folder. */
export function projectFiles(name: string): Readonly<Record<string, string>> {
  return {
    'package.json': manifest(name),
    'monitors.mjs': MONITORS,
    'contacts.mjs': CONTACTS,
    'engine.mjs': ENGINE,
    'start.mjs': START,
    'engine.test.mjs': TEST,
    'README.md': README,
    '.gitignore': 'node_modules/\ndata/\n.env\n',
  }
}

function manifest(name: string): string {
  const content = {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: { start: 'node start.mjs', test: 'node --test' },
    dependencies: { watchpost: `^${VERSION}` },
  }
  return `${JSON.stringify(content, null, 2)}\n`
}

const MONITORS = `// What is watched. \`npx watchpost types\` lists all types, \`npx watchpost types http\` the settings of one.
import { defineMonitors } from 'watchpost/monitors'

export default defineMonitors([
  {
    key: 'site',
    type: 'http',
    name: 'Our site',
    url: process.env.SITE_URL ?? 'https://example.com',
    interval_sec: 60,
  },
])
`

const CONTACTS = `// Who is told. Secrets come from the environment, so that this file can be committed.
const { WEBHOOK_URL, WEBHOOK_SECRET } = process.env

export default WEBHOOK_URL === undefined
  ? []
  : [
      {
        kind: 'webhook',
        name: 'ops',
        url: WEBHOOK_URL,
        secret: WEBHOOK_SECRET,
        all_monitors: true,
      },
    ]
`

const ENGINE = `// The engine, with the monitors and contacts of this project. The test opens it in the same way.
import { createEngine } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { builtinContacts } from 'watchpost/contacts'
import { syncMonitors } from 'watchpost/monitors'

export async function openEngine({ store, monitors, contacts, kinds = builtinContacts() }) {
  const engine = createEngine({ store, checkers: builtinCheckers(), contacts: kinds })
  await engine.open()
  const known = await engine.contacts.list()
  for (const contact of contacts) {
    const found = known.find(({ name }) => name === contact.name)
    if (found === undefined) await engine.contacts.create(contact)
    else await engine.contacts.update(found.id, contact)
  }
  await syncMonitors(engine, monitors, { unlisted: 'remove' })
  return engine
}
`

const START = `// The engine, the REST API and the status page as one process.
import { createServer } from 'node:http'
import { createPage } from 'watchpost/page'
import { createRest } from 'watchpost/rest'
import { limitServer, toNodeHandler } from 'watchpost/rest/node'
import { sqliteStore } from 'watchpost/store/sqlite'
import contacts from './contacts.mjs'
import { openEngine } from './engine.mjs'
import monitors from './monitors.mjs'

const { PORT = '8080', HOST = '127.0.0.1', WATCHPOST_DATA = 'data/watchpost.db' } = process.env

const engine = await openEngine({
  store: sqliteStore({ file: WATCHPOST_DATA }),
  monitors,
  contacts,
})
engine.on('down', ({ monitor, incident }) => console.log(monitor.name, 'is down:', incident.cause_text))
engine.on('up', ({ monitor }) => console.log(monitor.name, 'is up again'))

if ((await engine.keys.list()).length === 0) {
  const { key } = await engine.keys.create({ name: 'first' })
  console.log(\`API key: \${key}\`)
  console.log('It is shown this once; the page asks for it.')
}

const api = toNodeHandler(createRest(engine))
const site = toNodeHandler(createPage(engine))
const server = createServer((request, response) => api(request, response, () => site(request, response)))
limitServer(server)

await engine.start()
server.listen(Number(PORT), HOST, () => {
  const { port } = server.address()
  console.log(\`Listening on http://\${HOST}:\${port}\`)
})

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    server.close()
    server.closeAllConnections()
    await engine.stop()
  })
}
`

const TEST = `// The site fails, and somebody is told: with the monitors of this project, against a server of the test.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { memoryStore } from 'watchpost/store/memory'
import { recordingTransport } from 'watchpost/testing'
import { webhookContact } from 'watchpost/webhook'
import { openEngine } from './engine.mjs'
import monitors from './monitors.mjs'

const SECRET = 'a secret of the test'

test('an outage of the site is told', async (t) => {
  let status = 200
  const site = createServer((request, response) => response.writeHead(status).end())
  site.listen(0, '127.0.0.1')
  await once(site, 'listening')
  t.after(() => site.close())
  const url = \`http://127.0.0.1:\${site.address().port}/\`

  const webhooks = recordingTransport()
  const engine = await openEngine({
    store: memoryStore(),
    monitors: monitors.map((monitor) => ({ ...monitor, url, fail_threshold: 1 })),
    contacts: [
      { kind: 'webhook', name: 'ops', url: 'http://127.0.0.1/', secret: SECRET, all_monitors: true },
    ],
    kinds: [webhookContact({ transport: webhooks, guard: { allowCidrs: ['127.0.0.1/32'] } })],
  })
  t.after(() => engine.stop())
  await engine.start()

  const [{ id }] = (await engine.monitors.list()).items
  const { results } = await engine.monitors.check(id)
  assert.equal(results[0].verdict, 'ok')

  status = 500
  const told = new Promise((resolve) => engine.on('notification', resolve))
  await engine.monitors.check(id)
  assert.equal((await told).status, 'sent')
  const [request] = webhooks.requests
  assert.equal(request.json.event, 'down')
  assert.equal(request.verify(SECRET).ok, true)
})
`

const README = `# Monitoring

    npm install
    npm test
    npm start

\`monitors.mjs\` lists what is watched, \`contacts.mjs\` who is told, \`engine.mjs\` puts both into an engine, and
\`start.mjs\` runs it with the REST API and the status page. The first start prints an API key.

| Variable                        | Meaning                                             |
| ------------------------------- | --------------------------------------------------- |
| \`SITE_URL\`                      | the site of the first monitor (https://example.com) |
| \`WEBHOOK_URL\`, \`WEBHOOK_SECRET\` | the receiver of notifications (nobody)              |
| \`WATCHPOST_DATA\`                | the SQLite file (data/watchpost.db)                 |
| \`HOST\`, \`PORT\`                  | where it listens (127.0.0.1, 8080)                  |
`
