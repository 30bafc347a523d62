/**
 * The parts of `npm run mutate`: the sources that are mutated, and the tests that run for them. Folders where
 * possible, so that a file may move within them.
 *
 * @typedef {object} Part
 * @property {readonly string[]} sources
 * @property {readonly string[]} tests
 * @property {number} [pollMs] how long a test polls for what a mutant may keep from coming; 10 s unless given
 */

/**
 * @param {string} folder
 * @param {string} names
 */
const named = (folder, names) => names.split(' ').map((name) => `${folder}/${name}.test.ts`)

/** The files of src/webhook that a receiver relies on, those that make the message, and those of the contact kind. */
const SIGNATURE =
  'src/webhook/{received,receiver-signature,replay,signature,standard-webhooks,verify,verify-standard}.ts'
const MESSAGE = 'src/webhook/{digest,headers,payload,retry,sample}.ts'
const KIND = 'src/webhook/{attempt-result,contact-kind,custom-headers,target,webhook-kind}.ts'

/** Of rounds, scheduling and outbox: what decides and needs no engine, so that a run takes a minute. */
const ENGINE_RULES = [
  'src/engine/rounds/{plan-notifications,read-answer,retry-queue,round-event,round-records,soft-notices,suppression,warnings}.ts',
  'src/engine/scheduling/{cadence,check-activity,composites,dependencies,evaluation-queue,scheduler,staleness}.ts',
  'src/engine/delivery/{after-attempt,attempts-under-way,batch-barrier,bounded-attempt,decision,grouping,outcome,quiet-hours,repetition}.ts',
]
/** Of the rest, what has tests of its own: claims and records, baselines, composites, changes, push types, windows. */
const CLAIMING =
  'src/engine/delivery/{attempt-recorder,awaited-ends,claiming,contact-hosts,held-digests}.ts'
const COMPOSITE = 'src/engine/rounds/composite.ts'
const BASELINES = 'src/engine/rounds/{baseline-history,baselines}.ts'
const PLAN = 'src/engine/rounds/{plan-change,plan-round}.ts'
const PUSH = 'src/engine/rounds/push.ts'
const WINDOWS = 'src/engine/scheduling/{maintenance,window-schedule}.ts'

/** A store of the tables that somebody else writes. */
const TABLE_STORE = ['src/store/tables.ts', 'src/store/tables/**/*.ts']

/** How a request is read, and an answer written, without an engine. */
const REST_RULES = 'src/rest/{cross-site,envelope,etag,http-error,parsed-body,query,router}.ts'

/** Bounds of connections; of a request, its body, its rate, and what it does when it is repeated. */
const REST_LIMITS = 'src/rest/limits/**/*.ts'
const REST_REQUESTS = 'src/rest/{body,idempotency,rate-limit}.ts'

/** A request from its key to its route; on Node's server; at the address of a heartbeat; about monitors. */
const REST_ENTRY = 'src/rest/{auth,fetch,operation,request-id}.ts'
const REST_NODE = 'src/rest/node.ts'
const REST_HEARTBEAT = 'src/rest/heartbeat.ts'
const REST_MONITORS = 'src/rest/{bulk,incidents,monitors}.ts'
/** What visitors of a page are told. */
const REST_PAGES = 'src/rest/{maintenance,public-pages,status-reports}.ts'
const REST_NAMED = [
  ...[REST_RULES, REST_REQUESTS, REST_ENTRY, REST_NODE],
  ...[REST_HEARTBEAT, REST_MONITORS, REST_PAGES],
]

/** Names, messages and records of DNS, and which of them a user may see. */
const DNS_RULES = 'src/net/dns/{decoding-cost,inside,message,names,records}.ts'

/** How a body becomes text, header fields, cookies, redirects, and the errors of the wire as causes. */
const HTTP_RULES =
  'src/net/http/{charset,cookies,decode,headers,http2-errors,reading,redact-url,redirect,wire}.ts'

/** One request on one connection, which may be kept for another. */
const HTTP_KEPT = 'src/net/http/{kept-socket,one-request}.ts'
const HTTP2 = 'src/net/http/{grpc-call,http2}.ts'
/** What is taken in of one answer, and how it is read. */
const HTTP_BODY = 'src/net/http/body.ts'
const HTTP_ANSWER = 'src/net/http/{answer,http1}.ts'

/** @param {string} folder */
const rest = (folder) => [
  `${folder}/**/*.ts`,
  ...[...ENGINE_RULES, CLAIMING, BASELINES, COMPOSITE, PLAN, PUSH, WINDOWS]
    .filter((pattern) => pattern.startsWith(folder))
    .map((pattern) => `!${pattern}`),
]

/** @type {Readonly<Record<string, Part>>} */
export const parts = {
  incident: {
    sources: ['src/incident/**/*.ts'],
    // The last two go through thousands of cases.
    tests: [
      ...named(
        'test/incident',
        'state quorum flapping dependency notices degraded transition uptime latency hours baseline quiet',
      ),
      ...named('test/incident', 'maintenance properties'),
      'test/incident/**/*.test.ts',
    ],
  },
  'webhook-signature': {
    sources: [SIGNATURE],
    tests: named('test/webhook', 'verify signature standard-webhooks'),
  },
  'webhook-message': {
    sources: [MESSAGE],
    tests: named('test/webhook', 'headers arrival retry digest sample payload'),
  },
  'webhook-kind': {
    sources: [KIND],
    tests: named(
      'test/webhook',
      'attempt-result webhook-kind recording-transport refusal standard-webhooks delivery',
    ),
  },
  'webhook-sending': {
    sources: ['src/webhook/**/*.ts', `!${SIGNATURE}`, `!${MESSAGE}`, `!${KIND}`],
    tests: named('test/webhook', 'transport deadline delivery kept-connections proxy'),
  },
  fields: {
    sources: ['src/fields/**/*.ts'],
    // The last two load every checker.
    tests: [
      ...named(
        'test/fields',
        'text days escapes headers proxy cron describe parse absent vocabulary merge url secrets pattern',
      ),
      ...named('test/checkers', 'http-status-ranges http-fields'),
      'test/fields/**/*.test.ts',
    ],
  },
  'engine-rules': {
    sources: ENGINE_RULES,
    tests: named(
      'test/engine',
      [
        'cadence check-activity evaluation-queue scheduler staleness composite-schedule waiting-children',
        'retry-queue suppression plan-notifications read-answer round-event round-records round-warnings',
        'grouping batch-barrier after-attempt attempts-under-way bounded-attempt send-decision plan-repeats',
      ].join(' '),
    ),
  },
  claiming: {
    sources: [CLAIMING],
    tests: named('test/engine', 'claiming awaited-ends contact-hosts attempt-recorder'),
  },
  baselines: {
    sources: [BASELINES],
    tests: named('test/engine', 'baselines'),
  },
  composite: { sources: [COMPOSITE], tests: named('test/engine', 'composite-members') },
  'plan-change': { sources: [PLAN], tests: named('test/engine', 'plan-change plan-round') },
  push: {
    sources: [PUSH],
    tests: named('test/engine', 'push-signals push-absence moved-heartbeats'),
  },
  windows: { sources: [WINDOWS], tests: named('test/engine', 'window-switches') },
  rounds: {
    sources: rest('src/engine/rounds'),
    tests: named('test/engine', 'open-rounds stored-rounds plan-repeats'),
  },
  outbox: {
    sources: rest('src/engine/delivery'),
    tests: named('test/engine', 'sending changed-quiet-hours'),
  },
  scheduling: {
    sources: rest('src/engine/scheduling'),
    tests: named('test/engine', 'monitor-schedule schedule-changes suppressed-heartbeats'),
  },
  'net-guard': {
    sources: ['src/net/guard/**/*.ts', 'src/net/peer/**/*.ts'],
    tests: named('test/net', 'own-network address client-address guard'),
  },
  'store-rules': {
    sources: ['src/store/*.ts', `!${TABLE_STORE[0]}`],
    tests: named(
      'test/store',
      'phases rows sql rules readable monitor-form contact-turns fallbacks memory',
    ),
  },
  'store-tables': { sources: TABLE_STORE, tests: named('test/store', 'tables') },
  'rest-rules': {
    sources: [REST_RULES],
    tests: named('test/rest', 'query router envelope conditional parsed-body cross-site'),
  },
  'rest-limits': {
    sources: [REST_LIMITS],
    tests: named('test/rest', 'limit-rules limit-queue limit-bytes'),
  },
  'rest-requests': {
    sources: [REST_REQUESTS, 'src/access/arriving-body.ts'],
    tests: named('test/rest', 'rate-limit body repeatable waiting-requests'),
  },
  'rest-entry': {
    sources: [REST_ENTRY],
    tests: named(
      'test/rest',
      'entry late-bodies refusals openapi contacts audit-log requests-at-work',
    ),
  },
  'rest-node': {
    sources: [REST_NODE],
    tests: named('test/rest', 'node-messages node node-edges'),
    pollMs: 2500,
  },
  'rest-heartbeat': {
    sources: [REST_HEARTBEAT],
    tests: named('test/rest', 'openapi-contract heartbeat'),
  },
  'rest-monitors': {
    sources: [REST_MONITORS],
    tests: named(
      'test/rest',
      'openapi-contract asked-checks bulk scopes late-bodies warnings routes several-tags requests-at-work',
    ),
  },
  'rest-pages': {
    sources: [REST_PAGES],
    tests: named('test/rest', 'openapi-contract resources maintenance status-reports several-tags'),
  },
  'rest-account': {
    sources: ['src/rest/*.ts', ...REST_NAMED.map((pattern) => `!${pattern}`)],
    tests: named(
      'test/rest',
      'openapi-contract resources account audit-log contacts routes several-tags body-turns requests-at-work',
    ),
  },
  'http-rules': {
    sources: [HTTP_RULES],
    tests: named(
      'test/net/http',
      'header-rules cookie-rules wire-errors body-rules redact-url cookies',
    ),
  },
  'http-kept': {
    sources: [HTTP_KEPT],
    tests: named('test/net/http', 'kept-socket one-request'),
    pollMs: 2500,
  },
  'http-body': {
    sources: [HTTP_BODY],
    tests: named('test/net/http', 'body-sink'),
    pollMs: 1500,
  },
  'http-answer': {
    sources: [HTTP_ANSWER],
    tests: named('test/net/http', 'answer-rules http1-rules'),
    pollMs: 1500,
  },
  http2: {
    sources: ['src/net/http/http2.ts'],
    tests: named('test/net/http', 'http2-rules'),
    pollMs: 1500,
  },
  'grpc-call': {
    sources: ['src/net/http/grpc-call.ts'],
    tests: named('test/net/http', 'grpc-call'),
    pollMs: 1500,
  },
  'net-http': {
    sources: [
      'src/net/http/**/*.ts',
      ...[HTTP_RULES, HTTP_KEPT, HTTP2, HTTP_BODY, HTTP_ANSWER].map((pattern) => `!${pattern}`),
    ],
    tests: named('test/net/http', 'exchange-rules hop-rules http2-lifetime'),
    pollMs: 1500,
  },
  'dns-rules': {
    sources: [DNS_RULES],
    tests: named('test/net/dns', 'names records inside message decoding-cost'),
  },
  'net-dns': {
    sources: ['src/net/dns/**/*.ts', `!${DNS_RULES}`],
    tests: named('test/net/dns', 'exchange asking'),
    pollMs: 2000,
  },
}
