/**
 * `resources`: queries an agent on a server for CPU, memory, disks and load.
 *
 * @module watchpost/checkers/resources
 */

import type { JsonObject } from '../../model.ts'
import type { Settings, Stored } from '../../fields/field.ts'
import { field } from '../../fields/vocabulary.ts'
import { redactUrl } from '../../net/http/redact-url.ts'
import type { HeaderPair } from '../../net/http/headers.ts'
import type { HttpExchange } from '../../net/net.ts'
import {
  clientCertificateFields,
  clientCertificateProblems,
  identityOf,
} from '../client-certificate.ts'
import { defineChecker, down, unknown } from '../checker.ts'
import type { Judgement } from '../checker.ts'
import { HTTP_CAUSES } from '../http/causes.ts'
import { certificateRefusal } from '../http/exchange.ts'
import {
  httpVersionField,
  proxyFields,
  proxyOf,
  proxyProblems,
  USER_AGENT,
  withoutProxyLogin,
} from '../http/request-fields.ts'
import { authorized } from '../oauth/authorized.ts'
import { oauthField, oauthProblems, withoutEmptyGrant } from '../oauth/fields.ts'
import { judge, RESOURCE_CAUSES } from './judge.ts'
import { readReport } from './report.ts'
import type { NoReport, ResourceReport } from './report.ts'

/** A report has a few KiB; one with a hundred disks still fits. */
const BODY_LIMIT_BYTES = 64 * 1024

/** Maximum disks in the details. */
const MAX_SHOWN = 50

const percentLimit = (what: string) =>
  field.number({
    min: 0,
    max: 100,
    unit: '%',
    description: `More than this share of ${what} is a failure`,
  })

const fields = {
  url: field
    .url({
      description: 'Address of the agent: watchpost/resources-agent, Capture, or your own',
      example: 'https://server.example/metrics',
    })
    .required(),
  secret: field.secret({ description: 'Sent to the agent as Authorization: Bearer' }),
  oauth: oauthField,
  cpu_max: percentLimit('the processors in use'),
  ram_max: percentLimit('the memory in use'),
  disk_max: percentLimit('the space in use, on the fullest disk,'),
  load_max: field.number({
    min: 0,
    max: 100_000,
    description: 'A higher load average of one minute, over all cores, is a failure',
  }),
  ignore_tls_errors: field
    .flag({ description: 'Accept any certificate', destination: [true] })
    .default(false),
  http_version: httpVersionField,
  ...proxyFields,
  ...clientCertificateFields,
}

type ResourcesSettings = Settings<typeof fields>

export const resources = () =>
  defineChecker({
    type: 'resources',
    title: 'Server resources (CPU/RAM/disk)',
    description: 'Asks an agent on a server for its CPU, memory, disks and load.',
    fields,
    causes: { ...HTTP_CAUSES, ...RESOURCE_CAUSES },
    figures: ['cpu_pct', 'ram_pct', 'disk_pct', 'load'],
    measurements: {
      status: 'Status code of the answer',
      http_version: 'Version of HTTP of the answer',
      form: 'simple or capture: how the agent reports',
      cpu_pct: 'Processors in use, in percent of all of them',
      ram_pct: 'Memory in use, in percent',
      disk_pct: 'Space in use on the fullest real disk, in percent',
      disks: 'Real disks, the fullest first, at most 50: name and used_pct',
      load: 'Load average of one minute, over all cores',
      cores: 'Number of processor cores',
      at: 'When the agent measured, ISO 8601',
      agent_errors: 'What the agent itself could not measure',
    },
    highlights: {
      cpu_pct: { title: 'CPU', format: 'percent' },
      ram_pct: { title: 'Memory', format: 'percent' },
      disk_pct: { title: 'Fullest disk', format: 'percent' },
      load: { title: 'Load' },
    },
    charts: [
      {
        title: 'Use',
        unit: 'percent',
        figures: { cpu_pct: 'CPU', ram_pct: 'Memory', disk_pct: 'Fullest disk' },
      },
    ],
    refine: refuseUnsendable,
    target: ({ url }) => redactUrl(url),

    async run(ctx, settings) {
      const exchange = await authorized(ctx, settings, {
        send: (authorization) => ctx.net.http(requestFor(settings, authorization)),
      })
      const { status, http_version: version } = exchange
      ctx.measure({ status, http_version: version })
      const refused =
        certificateRefusal(exchange, {
          identity: identityOf(settings),
          now: ctx.clock.now(),
        }) ?? judgeAnswer(exchange, settings)
      if (refused !== undefined) return refused
      const report = await ctx.inTurns(reportIn(exchange))
      if ('problem' in report) return down('resource_bad_format', `The answer ${report.problem}`)
      ctx.measure(measurements(report))
      return judge({ report, now: ctx.clock.now(), period_ms: ctx.period_ms }, settings)
    },
  })

/** One step: some texts of this length take ten milliseconds, and many agents may answer at once. */
function* reportIn(
  exchange: Pick<HttpExchange, 'text'>,
): Generator<void, ResourceReport | NoReport> {
  return readReport(exchange.text())
}

function requestFor(settings: ResourcesSettings, authorization: readonly HeaderPair[]) {
  const { url, secret, ignore_tls_errors, http_version } = settings
  return {
    url,
    http_version,
    proxy: proxyOf(settings),
    identity: identityOf(settings),
    headers: [
      ['Accept', 'application/json'],
      ['User-Agent', USER_AGENT],
      ...(secret === undefined ? [] : [['Authorization', `Bearer ${secret}`] as const]),
      ...authorization,
    ] as const,
    verify: !ignore_tls_errors,
    bodyLimit: BODY_LIMIT_BYTES,
  }
}

/** A value that is invalid in a header is rejected at creation instead of at the first check. */
function refuseUnsendable(given: Stored<typeof fields>) {
  const settings = withoutEmptyGrant(withoutProxyLogin(given))
  const { secret } = settings
  const problems = {
    ...oauthProblems(settings),
    ...proxyProblems(settings),
    ...clientCertificateProblems(settings),
  }
  if (Object.keys(problems).length > 0) return { fields: problems }
  if (secret === undefined || /^[\x21-\x7e]+$/.test(secret)) return { settings }
  return { fields: { secret: 'invalid: ASCII letters, digits and signs without spaces' } }
}

/** Capture answers 207 if parts of its report are missing. */
function judgeAnswer(
  { status, body_cut }: HttpExchange,
  { secret, oauth }: Pick<ResourcesSettings, 'secret' | 'oauth'>,
): Judgement<'resource_auth' | 'http_status' | 'http_body_limit'> | undefined {
  if (status === 401 || status === 403) {
    const given = oauth === undefined ? secret && 'secret' : 'token'
    const what = given === undefined ? 'asks for a secret, and none is set' : `refuses the ${given}`
    return down('resource_auth', `The agent ${what} (status ${status})`)
  }
  if (status !== 200 && status !== 207) {
    return down('http_status', `Got status ${status}, expected 200 or 207`)
  }
  if (!body_cut) return undefined
  const text = `The report is longer than the ${BODY_LIMIT_BYTES} bytes that are read of it`
  return unknown('http_body_limit', text)
}

function measurements(report: ResourceReport): JsonObject {
  const { form, cpu, ram, disks, load, cores, at, errors } = report
  return {
    form,
    cpu_pct: cpu,
    ram_pct: ram,
    disk_pct: disks[0]?.used_pct ?? null,
    disks: disks.slice(0, MAX_SHOWN).map((disk) => ({ ...disk })),
    load,
    cores,
    ...(at === null ? {} : { at: new Date(at).toISOString() }),
    ...(errors.length > 0 ? { agent_errors: [...errors] } : {}),
  }
}
