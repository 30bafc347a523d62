import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CHECKER_TYPES, loadChecker } from '../../src/checkers/by-type.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { SHARED_CAUSES } from '../../src/checkers/causes.ts'
import { describe as describeFields } from '../../src/fields/describe.ts'
import type { JsonObject } from '../../src/model.ts'
import { checkerSuite } from '../../src/testing/checker-suite.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import { SPECIFIED_FIELDS } from '../support/specified-fields.ts'

/** Optional fields of ours beyond those of the specification. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  http: 'keyword_present_regex, keyword_absent_regex',
  heartbeat: 'first_signal_sec, cron, time_zone',
}

/** Right settings of each type; `port` is that of a server that accepts and stays silent. */
const settingsOf = (port: number): Readonly<Record<string, JsonObject>> => ({
  http: { url: `http://127.0.0.1:${port}/`, auth: { user: 'u', pass: 'canary-pass' } },
  content: { url: `http://127.0.0.1:${port}/`, auth: { user: 'u', pass: 'canary-pass' } },
  ping: { host: '127.0.0.1' },
  tcp: { host: '127.0.0.1', port, banner_regex: 'ready' },
  dns: { dns_name: 'example.test', nameserver: `tcp://127.0.0.1:${port}` },
  ssl: { host: '127.0.0.1', port },
  domain: { domain: 'example.com' },
  smtp: { host: '127.0.0.1', port, tls: 'none' },
  pop3: { host: '127.0.0.1', port, tls: 'none' },
  imap: { host: '127.0.0.1', port, tls: 'none' },
  ftp: { host: '127.0.0.1', port, tls: 'none' },
  mysql: { host: '127.0.0.1', port, user: 'u', pass: 'canary-pass' },
  postgres: { host: '127.0.0.1', port, user: 'u', pass: 'canary-pass' },
  resources: { url: `http://127.0.0.1:${port}/`, secret: 'canary-secret' },
  heartbeat: { grace_sec: 60 },
  blacklist: { target: 'example.com' },
})

/** These ask nobody whom a silent server could stand in for. */
const WITHOUT_SERVER = ['ping', 'domain', 'heartbeat', 'blacklist']

const checkers = builtinCheckers()

describe('the sixteen', () => {
  it('can be loaded one by one, by their type', async () => {
    expect(CHECKER_TYPES).toEqual(checkers.map(({ type }) => type))
    for (const type of CHECKER_TYPES) expect((await loadChecker(type))?.type).toBe(type)
    expect(await loadChecker('constructor')).toBeUndefined()
  })

  it('are those of the specification, in its order', () => {
    // A type of ours beyond it may stand anywhere.
    const types = checkers.map(({ type }) => type).filter((type) => type in SPECIFIED_FIELDS)
    expect(types).toEqual(Object.keys(SPECIFIED_FIELDS))
    const files = readdirSync(new URL('../../src/checkers/', import.meta.url)).map((name) =>
      name.replace(/\.ts$/, ''),
    )
    for (const type of Object.keys(SPECIFIED_FIELDS)) expect(files).toContain(type)
  })

  it.each(Object.entries(SPECIFIED_FIELDS))(
    '%s has the fields of the specification',
    (type, spec) => {
      const fieldsOf = checkers.find((checker) => checker.type === type)?.fields ?? {}
      const fields = describeFields(fieldsOf).map(({ name, required }) =>
        required ? `${name}*` : name,
      )
      const extensions = EXTENSIONS[type]?.split(', ') ?? []
      expect(fields.sort()).toEqual([...spec.split(', '), ...extensions].sort())
    },
  )

  it('have settings below, for the suite to run with', () => {
    const types = checkers.map(({ type }) => type)
    expect(Object.keys(settingsOf(9)).sort()).toEqual(types.sort())
  })

  it('share no cause of their own under one code with different meanings', () => {
    const meanings = new Map<string, string>()
    for (const { causes } of checkers) {
      for (const [code, { verdict = 'fail' }] of Object.entries(causes)) {
        expect(SHARED_CAUSES).not.toHaveProperty(code)
        expect(meanings.get(code) ?? verdict).toBe(verdict)
        meanings.set(code, verdict)
      }
    }
  })
})

describe.each(checkers.map((checker) => [checker.type, checker] as const))(
  '%s',
  (type, checker) => {
    const cases = checkerSuite(checker, { settings: settingsOf(9)[type] ?? {}, silent: {} })
    it.each(cases.map(({ name }, index) => [name, index] as const))('%s', async (_name, index) => {
      const server = await scriptedServer(() => undefined)
      try {
        const settings = settingsOf(server.port)[type] ?? {}
        const silent = WITHOUT_SERVER.includes(type) ? {} : { silent: settings }
        await checkerSuite(checker, { settings, ...silent })[index]?.run()
      } finally {
        await server.close()
      }
    })
  },
)
