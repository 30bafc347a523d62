/**
 * `watchpost serve`: engine, store, REST API and status page as one process.
 *
 * @module
 */

import { builtinCheckers } from '../../checkers/index.ts'
import { systemClock } from '../../clock.ts'
import { builtinContacts } from '../../contacts/index.ts'
import type { Engine } from '../../engine/api/engine.ts'
import { createEngine } from '../../engine/engine.ts'
import type { EngineOptions } from '../../engine/options.ts'
import { ConfigurationError } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { createMetrics } from '../../metrics/metrics.ts'
import { openTelemetry, openTelemetryMetrics } from '../../otel/otel.ts'
import { BY } from '../account.ts'
import { EXIT } from '../command.ts'
import type { Call, Command } from '../command.ts'
import { readSettings, settingFlags, settingsHelp, strangeVariables } from '../environment.ts'
import type { SettingValues } from '../environment.ts'
import { checkSecretKey } from '../engine.ts'
import { lineLogger } from '../logger.ts'
import { monitorDefaultsOf } from '../monitor-defaults.ts'
import { displayIn, progress } from '../progress.ts'
import { storeOf } from '../store.ts'
import type { Kept } from '../store.ts'
import { say } from '../terminal.ts'
import { checkerOptions, CHECKER_SETTINGS } from '../providers.ts'
import { readContacts, syncContacts } from './contacts.ts'
import { ensureKey } from './keys.ts'
import { FIRST_ACCOUNT } from '../../model.ts'
import { siteOf } from './site.ts'
import { stopSignal } from '../stop-signal.ts'
import { createWebServer } from './web-server.ts'
import type { WebServer } from './web-server.ts'
import { bullmqProbes } from '../../probes/bullmq/transport.ts'
import type { ProbeTransport } from '../../probes/transport.ts'
import { describePlan } from '../../monitors/plan.ts'
import { syncMonitors } from '../../monitors/sync.ts'
import { asMistakeOf, readList } from '../apply/list.ts'

const SETTINGS = [
  'port',
  'host',
  'data',
  'database_url',
  'redis_url',
  'api_key',
  'secret_key',
  'targets',
  'webhook_allow',
  'retry_connection_errors',
  'proxy',
  'no_proxy',
  'locations',
  'contacts',
  'manage_contacts',
  'metadata_in_payloads',
  'monitors',
  'monitor_defaults',
  'base_url',
  'trust_proxy',
  'public_tag',
  'languages',
  'time_zone',
  'metrics_token',
  'anchors',
  'checks',
  'checks_per_host',
  ...CHECKER_SETTINGS,
  'log_level',
] as const

type ServeSettings = SettingValues<(typeof SETTINGS)[number]>

export const command: Command = {
  help: `watchpost serve

The REST API, the status page, /metrics and /healthz on http, with everything in one SQLite file or in
PostgreSQL. The first start creates an account and prints its API key once. SIGTERM and SIGINT stop it
gracefully.

  watchpost serve
  watchpost serve --port 0 --data /var/lib/watchpost/watchpost.db
  WATCHPOST_API_KEY=$KEY WATCHPOST_TARGETS=public watchpost serve --host 0.0.0.0

${settingsHelp(SETTINGS)}

An entry of the contacts file, which is an array of them, matched by name:
  { "kind": "webhook", "name": "ops", "url": "https://example.com/hook", "secret": "…", "all_monitors": true }
Other kinds: ${otherKinds()}.

Log lines go to stderr: text on a terminal, one JSON document per line elsewhere.
Exit code: 0 stopped by a signal, 1 it could not be done, 64 a wrong setting or file.`,
  options: settingFlags(SETTINGS),
  run,
}

function otherKinds(): string {
  const [, ...others] = builtinContacts()
  return others.map(({ kind }) => kind).join(', ')
}

async function run({ flags, words, env }: Call): Promise<number> {
  const [stranger] = words
  if (stranger !== undefined)
    throw new ConfigurationError(`serve takes no "${stranger}" (see --help)`)
  const settings = readSettings(SETTINGS, { flags, env })
  const log = lineLogger(settings.log_level)
  for (const name of strangeVariables(env)) log.warn({ name }, 'this variable has no meaning here')
  warnOfOldNode(log)

  const { store, place } = storeOf(settings)
  const signal = stopSignal(systemClock)
  const web = createWebServer({ log, trust_proxy: settings.trust_proxy })
  const address = await web.listen(settings)
  try {
    const engine = await open(settings, { web, address, log, store })
    say(`Listening on ${address}, data in ${place}`)
    log.info({ signal: await signal }, 'stopping: what runs may end')
    web.refuse()
    await engine.stop()
    log.info({}, 'stopped')
  } finally {
    await web.close()
  }
  return EXIT.ok
}

interface Surroundings extends Pick<Kept, 'store'> {
  readonly web: WebServer
  readonly address: string
  readonly log: Logger
}

function proxyOf({ proxy, no_proxy }: ServeSettings): EngineOptions['proxy'] {
  return proxy === undefined ? undefined : { url: proxy, direct: no_proxy }
}

async function open(
  settings: ServeSettings,
  { web, address, log, store }: Surroundings,
): Promise<Engine> {
  const kinds = builtinContacts({
    guard: { allowCidrs: settings.webhook_allow },
    retryConnectionErrors: settings.retry_connection_errors,
  })
  const contacts = await readContacts(settings.contacts, kinds)
  const engine: Engine = createEngine({
    store,
    checkers: builtinCheckers(await checkerOptions(settings)),
    contacts: kinds,
    locations: settings.locations,
    targets: settings.targets,
    anchors: settings.anchors,
    proxy: proxyOf(settings),
    metadataInPayloads: settings.metadata_in_payloads,
    monitorDefaults: await monitorDefaultsOf(settings),
    limits: { checks: settings.checks, checksPerHost: settings.checks_per_host },
    baseUrl: settings.base_url ?? reachable(address, settings.host),
    logger: log,
    tracing: await openTelemetry(),
    ...(settings.secret_key === undefined ? {} : { secretKey: settings.secret_key }),
    ...remoteProbes(settings, log),
  })
  const { metrics_token: token } = settings
  const metrics = createMetrics(engine, { logger: log, process: true, token })
  await openTelemetryMetrics(engine, { logger: log })
  try {
    await opened(engine, log)
    await checkSecretKey(store, settings.secret_key)
    await syncContacts(engine.account(FIRST_ACCOUNT, BY), contacts)
    await applyMonitors(engine, settings.monitors, log)
    await ensureKey(engine, { api_key: settings.api_key, address, log })
    logEvents(engine, log)
    await engine.start()
  } catch (error) {
    await engine.stop({ drainMs: 0 }).catch((err: unknown) => {
      log.error({ err }, 'the engine could not be stopped')
    })
    throw error
  }
  web.mount(engine, siteOf({ engine, metrics }, settings, log))
  return engine
}

/** What was written by an earlier version is migrated here, which takes its time. */
async function opened(engine: Engine, log: Logger): Promise<void> {
  const opening = progress('still opening the store', displayIn(log))
  await engine.open().finally(() => opening.end())
}

/** A wildcard address (`0.0.0.0`) cannot be called: heartbeats then show their path without an address. */
function reachable(address: string, host: string): string {
  return /^(?:0\.0\.0\.0|::0?)$/.test(host) ? '' : address
}

const SUPPORTED_NODE = 22

function warnOfOldNode(log: Logger): void {
  const major = parseInt(process.versions.node, 10)
  if (major >= SUPPORTED_NODE) return
  log.warn(
    { node: process.versions.node },
    `Node ${major} gets no more security fixes; Node 24 is the one we recommend`,
  )
}

/** @throws ConfigurationError without a key: passwords of monitors would be unencrypted on Redis */
function remoteProbes(
  { redis_url, secret_key }: SettingValues<'redis_url' | 'secret_key'>,
  log: Logger,
): { readonly probes?: ProbeTransport } {
  if (redis_url === undefined) return {}
  if (secret_key === undefined)
    throw new ConfigurationError(
      'REDIS_URL needs WATCHPOST_SECRET_KEY, the same here and for every probe: ' +
        'it seals the passwords of monitors on Redis (make one with: openssl rand -base64 32)',
    )
  return { probes: bullmqProbes({ connection: redis_url, secretKey: secret_key, logger: log }) }
}

/** @throws ConfigurationError that names the file, and every problem in it; nothing is changed then */
async function applyMonitors(engine: Engine, path: string | undefined, log: Logger): Promise<void> {
  if (path === undefined) return
  const { monitors, maintenance } = await readList(path)
  const shown = progress('applying the monitors', displayIn(log))
  const onProgress = (done: number, all: number): void =>
    shown.update(`applying the monitors: ${done} of ${all} changes`)
  const plan = await syncMonitors(engine, monitors as never, { ...BY, maintenance, onProgress })
    .catch((error: unknown) => {
      throw asMistakeOf(`WATCHPOST_MONITORS: ${path}`, error)
    })
    .finally(() => shown.end())
  for (const line of describePlan(plan)) log.info({ file: path }, line)
}

function logEvents(engine: Engine, log: Logger): void {
  engine.on('down', ({ monitor: { id, name }, incident }) => {
    const { cause_code, cause_text } = incident
    const about = { monitor_id: id, name, incident_id: incident.id, cause_code }
    log.warn(about, `down: ${cause_text}`)
  })
  engine.on('up', ({ monitor: { id, name }, incident }) => {
    const about = { monitor_id: id, name, incident_id: incident.id }
    const { closed_reason, duration_sec } = incident
    const end = closed_reason === 'recovered' ? 'up again' : `incident closed (${closed_reason})`
    log.info(about, `${end} after ${duration_sec} s`)
  })
  engine.on('acknowledged', ({ monitor: { id, name }, incident }) => {
    log.info({ monitor_id: id, name, incident_id: incident.id }, 'acknowledged')
  })
  engine.on('notice', ({ monitor: { id, name }, event }) => {
    log.info({ monitor_id: id, name }, event)
  })
  engine.on('notification', ({ id, event, contact_id, status, error }) => {
    const about = { notification_id: id, event, contact_id }
    if (status === 'failed') log.warn({ ...about, error }, 'a notification was not delivered')
    else log.debug({ ...about, status }, 'a notification is done')
  })
}
