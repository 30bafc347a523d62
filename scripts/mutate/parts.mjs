/**
 * The parts of `npm run mutate`: the sources that are mutated, and the tests that run for them. Folders where
 * possible, so that a file may move within them.
 *
 * @typedef {{ readonly sources: readonly string[], readonly tests: readonly string[] }} Part
 */

/**
 * @param {string} folder
 * @param {string} names
 */
const named = (folder, names) => names.split(' ').map((name) => `${folder}/${name}.test.ts`)

/** @type {Readonly<Record<string, Part>>} */
export const parts = {
  incident: { sources: ['src/incident/**/*.ts'], tests: ['test/incident/**/*.test.ts'] },
  webhook: {
    sources: ['src/webhook/**/*.ts'],
    tests: named(
      'test/webhook',
      'arrival headers retry verify payload target recording-transport repeated refusal delivery signature',
    ),
  },
  fields: {
    sources: ['src/fields/**/*.ts'],
    tests: ['test/fields/**/*.test.ts', 'test/checkers/http-fields.test.ts'],
  },
  rounds: {
    sources: ['src/engine/rounds/**/*.ts'],
    tests: named(
      'test/engine',
      'overtaken-rounds suppression alerts dependencies heartbeat planned-work',
    ),
  },
  outbox: {
    sources: ['src/engine/delivery/**/*.ts'],
    tests: named('test/engine', 'outbox-listeners outbox-accounts test-deliveries alerts endings'),
  },
  scheduling: {
    sources: ['src/engine/scheduling/**/*.ts'],
    tests: named('test/engine', 'change-feed starved schedule several-engines planned-work'),
  },
  'net-guard': {
    sources: ['src/net/guard/**/*.ts', 'src/net/peer/**/*.ts'],
    tests: named('test/net', 'address client-address guard'),
  },
  'store-rules': {
    sources: ['src/store/*.ts', 'src/store/tables/**/*.ts'],
    tests: named('test/store', 'memory tables optional-parts'),
  },
  rest: {
    sources: ['src/rest/*.ts', 'src/rest/limits/**/*.ts'],
    tests: named(
      'test/rest',
      'router query body envelope etag rate-limit own-site warnings idempotency heartbeat routes refusals',
    ),
  },
  'net-http': { sources: ['src/net/http/**/*.ts'], tests: ['test/net/http/**/*.test.ts'] },
  'net-dns': { sources: ['src/net/dns/**/*.ts'], tests: ['test/net/dns/**/*.test.ts'] },
}
