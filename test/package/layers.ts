import type { SourceFile, SourceImport } from './sources.ts'

/**
 * Who may import whom (docs/design/architecture.md). `values` are folders and files below src that a
 * layer may use at run time; `types` only as types. What is not listed is forbidden.
 */
interface Layer {
  readonly values: readonly string[]
  readonly types?: readonly string[]
  readonly free?: false
}

/** Everybody may use these, but for the layers that say `free: false`. */
const FREE = [
  'model.ts',
  'model',
  'errors.ts',
  'clock.ts',
  'due-queue.ts',
  'fair-queue.ts',
  'logger.ts',
  'optional-packages.ts',
  'options.ts',
  'seal.ts',
  'secrets',
  'version.ts',
]

const isFree = (path: string): boolean => FREE.some((free) => within(path, free))

const LAYERS: Readonly<Record<string, Layer>> = {
  // Pure: the machine knows the nouns and nothing else.
  incident: { values: ['model.ts', 'model'], free: false },
  fields: { values: [] },
  net: { values: [] },
  // Their drivers open connections of TLS by themselves.
  store: { values: ['net/connection/peer-certificate.ts'] },
  probes: { values: ['net/connection/peer-certificate.ts'] },
  checkers: { values: ['fields', 'net'] },
  webhook: { values: ['fields', 'net'] },
  // Beside the webhook: the engine knows none of them by name.
  contacts: { values: ['fields', 'net', 'webhook'] },
  engine: {
    // causes.ts and store.ts hold contracts, tables and constants that both sides read; the checks are
    // made in this process unless the host says otherwise.
    values: [
      'fields',
      'incident',
      'net',
      'webhook',
      'checkers/causes.ts',
      'checkers/charts.ts',
      'checkers/checker.ts',
      'checkers/response-time.ts',
      'probes/in-process.ts',
      'probes/transport.ts',
      'store/fallbacks.ts',
      // A filter finds in memory what it finds in each store.
      'store/filters.ts',
      'store/store.ts',
    ],
    types: ['checkers/member.ts', 'checkers/push.ts', 'contacts/descriptions.ts'],
  },
  // How a request is admitted, whoever answers it: REST, the page, the metrics.
  access: { values: [] },
  rest: {
    values: [
      'access',
      'engine',
      'fields',
      'net/peer/client-address.ts',
      'net/guard/ip.ts',
      'net/peer/trusted-proxies.ts',
    ],
  },
  // From the engine's events and readings.
  metrics: {
    values: ['access', 'engine/services/request-services.ts', 'net/peer/client-address.ts'],
    types: ['engine'],
  },
  // Around the work of an engine; its metrics are those of Prometheus under other names.
  otel: { values: ['metrics'], types: ['engine', 'probes', 'store'] },
  // Runs beside the API, not beside the engine.
  client: { values: [], types: ['checkers', 'engine', 'fields', 'monitors', 'rest'] },
  // A list of monitors, carried out through the engine's groups; of the checkers, the types of settings.
  monitors: {
    values: ['fields/describe.ts', 'fields/problems.ts'],
    types: ['checkers', 'engine', 'fields'],
  },
  page: { values: ['access', 'engine', 'fields', 'net/peer/client-address.ts'] },
  // Pure: documents in, lists and notes out.
  importers: { values: [] },
  // Runs on the servers that are watched, beside nothing else of ours.
  'resources-agent': { values: [] },
  testing: {
    values: [
      'checkers/causes.ts',
      'checkers/checker.ts',
      'engine',
      'fields',
      'incident',
      'net',
      'store/store.ts',
      'webhook',
    ],
    types: ['probes'],
  },
  // The command line composes a whole service, as any host does.
  cli: {
    values: [
      'bullmq.ts',
      'checkers',
      'contacts',
      'engine',
      'fields',
      'importers',
      'metrics',
      'monitors',
      'net',
      'otel',
      'page',
      'probes',
      'rest',
      'store',
      'webhook',
    ],
  },
  // A remote probe: the engine's way of making a check behind a queue.
  'bullmq.ts': {
    values: ['checkers/checker.ts', 'engine', 'probes'],
    types: ['net'],
  },
  // What `import 'watchpost'` offers: the engine and the contracts, no concrete checker or store.
  'index.ts': {
    values: ['checkers/checker.ts', 'engine', 'fields', 'net'],
    types: [
      'checkers/causes.ts',
      'checkers/charts.ts',
      'checkers/checker.ts',
      'checkers/push.ts',
      'incident',
      'probes/transport.ts',
      'store/store.ts',
      'webhook',
    ],
  },
}

/**
 * The rooms of the engine, lowest first: each imports from those below it and from itself. What stands directly in
 * `engine` puts the parts together, above all of them.
 */
const ENGINE_ROOMS = [
  'api',
  'registry',
  'core',
  'checks',
  'commit',
  'monitors',
  'views',
  'rounds',
  'delivery',
  'scheduling',
  'sharing',
  'announce',
  'services',
  'transfer',
]

/** The floor of a file of the engine, 0 for the lowest; `undefined` outside of it. @throws for an unknown room */
export function floorOf(path: string): number | undefined {
  const [layer, room, file] = path.split('/')
  if (layer !== 'engine') return undefined
  if (file === undefined) return ENGINE_ROOMS.length
  const floor = ENGINE_ROOMS.indexOf(room ?? '')
  if (floor === -1) throw new Error(`engine/${room} has no floor in test/package/layers.ts`)
  return floor
}

/** Where an npm package may be imported, and whether only on first use. */
const PACKAGES: Readonly<Record<string, { readonly in: readonly string[]; readonly lazy?: true }>> =
  {
    // Checkers and the common settings have fields of their own kinds.
    valibot: {
      in: [
        'fields',
        'checkers',
        'engine/registry/monitor-fields.ts',
        'engine/registry/window-field.ts',
        'engine/registry/page-css.ts',
        'engine/registry/public-page-fields.ts',
        'engine/registry/calendar-fields.ts',
        'engine/registry/quiet-field.ts',
        'engine/registry/metadata-field.ts',
        'engine/registry/warn-field.ts',
        'engine/transfer/lines.ts',
      ],
    },
    re2js: { in: ['fields'] },
    'json-p3': { in: ['checkers'] },
    eventemitter3: { in: ['engine'] },
    'dns-packet': { in: ['net', 'checkers'] },
    tldts: { in: ['checkers', 'net/http/cookies.ts'] },
    htmlparser2: { in: ['checkers'], lazy: true },
    croner: { in: ['fields'] },
    'node-sqlite3-wasm': { in: ['store'], lazy: true },
    mysql2: { in: ['checkers', 'cli/import'], lazy: true },
    pg: { in: ['checkers', 'store'], lazy: true },
    imapflow: { in: ['checkers'], lazy: true },
    'basic-ftp': { in: ['checkers'], lazy: true },
    yaml: { in: ['cli'], lazy: true },
    bullmq: { in: ['probes/bullmq'], lazy: true },
    ioredis: { in: ['probes/bullmq'], lazy: true },
    '@opentelemetry/api': { in: ['otel'], lazy: true },
    nodemailer: { in: ['checkers', 'contacts'], lazy: true },
  }

const SOCKETS = /^node:(?:net|tls|dgram|dns|http|https|http2|child_process)(?:\/|$)/

/** Says what is wrong with an import, or nothing. */
export function objection(file: SourceFile, found: SourceImport): string | undefined {
  if (found.target !== undefined) return objectionToSource(file, found, found.target)
  if (found.specifier.startsWith('node:')) return objectionToBuiltin(file, found)
  return objectionToPackage(file, found)
}

function objectionToSource(file: SourceFile, found: SourceImport, target: string) {
  const layer = layerOf(file.path)
  if (within(target, layer)) return undefined
  const rules = LAYERS[layer]
  if (rules === undefined) {
    // What everybody imports may only lean on each other.
    return isFree(file.path) && isFree(target) ? undefined : 'belongs to no layer'
  }
  if (rules.free !== false && isFree(target)) return undefined
  if (rules.values.some((allowed) => within(target, allowed))) return undefined
  if (rules.types?.some((allowed) => within(target, allowed)) !== true) return 'is not in the table'
  return found.typeOnly ? undefined : 'may only be used as a type'
}

function objectionToBuiltin(file: SourceFile, { specifier, typeOnly }: SourceImport) {
  const layer = layerOf(file.path)
  if (layer === 'incident') return 'is not for pure code'
  if (layer === 'client') return 'is not in every runtime that has fetch'
  if (specifier === 'node:http' && !typeOnly && layer !== 'cli')
    return 'comes from net/http/wire.ts, for the time and memory that an import takes'
  if (!SOCKETS.test(specifier) || typeOnly || layer === 'net' || layer === 'cli') return undefined
  return 'belongs to src/net'
}

/** They load modules that users name: lists of monitors. */
const LOADS_ANYTHING = ['cli/apply/list.ts']

function objectionToPackage(file: SourceFile, { specifier, typeOnly, lazy }: SourceImport) {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  const rule = PACKAGES[name]
  if (rule === undefined && lazy && LOADS_ANYTHING.includes(file.path)) return undefined
  if (rule === undefined) return 'is not one of our packages'
  if (!rule.in.some((place) => within(file.path, place)))
    return `belongs to src/${rule.in.join(', src/')}`
  return rule.lazy === true && !lazy && !typeOnly ? 'must be loaded on first use' : undefined
}

/** `checkers` for checkers/http.ts, `clock.ts` for clock.ts. */
export function layerOf(path: string): string {
  return path.split('/')[0] ?? path
}

function within(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`)
}
