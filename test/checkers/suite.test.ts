import { describe, expect, it } from 'vitest'
import { CHECKER_TYPES, loadChecker } from '../../src/checkers/by-type.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { SHARED_CAUSES } from '../../src/checkers/causes.ts'
import { describe as describeFields } from '../../src/fields/describe.ts'
import { checkerSuite } from '../../src/testing/checker-suite.ts'
import { sampleSettings } from '../support/sample-settings.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import { SPECIFIED_FIELDS } from '../support/specified-fields.ts'
import { trySuite } from '../support/try-suite.ts'

/** Of every type that speaks TLS. */
const CERTIFICATE = 'tls_cert, tls_key, tls_key_pass'

/** Of every type that asks a web server. */
const WEB =
  'http_version, proxy, proxy_auth.user, proxy_auth.pass, oauth.token_url, oauth.client_id, oauth.client_secret, oauth.scope, oauth.audience, oauth.auth_method'

/** Optional fields of ours beyond those of the specification. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  http: `max_response_percentile, max_response_checks, keyword_present_regex, keyword_absent_regex, json, headers_expected, certificate_days_min, ${WEB}, ${CERTIFICATE}`,
  content: `${WEB}, ${CERTIFICATE}`,
  resources: `${WEB}, ${CERTIFICATE}`,
  dns: 'dnssec, same_serial',
  ssl: `starttls, ocsp_stapling, ${CERTIFICATE}`,
  heartbeat: 'first_signal_sec, cron, time_zone',
  ...Object.fromEntries(
    ['tcp', 'smtp', 'pop3', 'imap', 'ftp', 'mysql', 'postgres'].map((type) => [type, CERTIFICATE]),
  ),
}

const checkers = builtinCheckers({ extra: true })

describe('the sixteen', () => {
  it('can be loaded one by one, by their type', async () => {
    expect(CHECKER_TYPES).toEqual(checkers.map(({ type }) => type))
    for (const type of CHECKER_TYPES) expect((await loadChecker(type))?.type).toBe(type)
    expect(await loadChecker('constructor')).toBeUndefined()
  })

  it('are those of the specification, in its order', () => {
    // Types of ours beyond it follow.
    const specified = Object.keys(SPECIFIED_FIELDS)
    const types = checkers.map(({ type }) => type)
    expect(types.slice(0, specified.length)).toEqual(specified)
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

describe.concurrent.each(checkers.map((checker) => [checker.type, checker] as const))(
  '%s',
  (_type, checker) => {
    const cases = checkerSuite(checker, { settings: sampleSettings(checker, 9), silent: {} })
    // Side by side: most of them wait.
    it.for(cases.map(({ name }, index) => [name, index] as const))(
      '%s',
      async ([, index], { onTestFinished }) => {
        const server = await scriptedServer(() => undefined, { onTestFinished })
        const settings = sampleSettings(checker, server.port)
        // Some ask nobody whom a silent server could stand in for.
        const asked = JSON.stringify(settings).includes(String(server.port))
        const silent = asked ? settings : undefined
        await trySuite(checker, { settings, silent })[index]?.run()
      },
    )
  },
)
