import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'
import { WASM_AS_IT_COMES } from './scripts/steps.mjs'

/** Minutes of processes that are started and waited for: begun last, they would end alone. */
const LONG = /\/test\/(?:e2e|faults|cli|deploy|package|probes)\//

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** Minutes of compilers: steps of `npm run check`, which sets the variable. */
const STEPS = { NEW_CHECKER: 'test/package/new-checker.test.ts', BUNDLES: 'test/bundles/**' }
const notAsked = Object.entries(STEPS).filter(([name]) => process.env[name] !== '1')

/**
 * Files of these folders run one after the other in processes that they share: they load the sources once instead
 * of once a file, which is a third of their CPU. A file that changes its process (its time zone, its umask, its
 * environment, a global), or measures what is open or used in it, does not belong here.
 */
const SHARED = words(`
  fields incident webhook contacts monitors importers secrets metrics client net rest otel
  engine store checkers page cli package probes
`).map((folder) => `test/${folder}/**/*.test.ts`)
const MEASURE = words(`
  net/connection net/dial net/dns/client engine/big-accounts engine/account-removal engine/bulk
  engine/heavy-results engine/long-history engine/many-windows store/backlog store/many-creations store/sqlite-modes
  page/browser page/many-monitors checkers/*/hostile checkers/domain-hostile checkers/hostile-documents
  checkers/extra/group checkers/extra/grpc checkers/extra/websocket checkers/http-assertions
  engine/filtered-history engine/transfer-bounds net/http/http2 net/http/body page/published
  checkers/dns checkers/http2-hostile checkers/http-long checkers/tcp-drip checkers/blacklist/registry-feed
  checkers/content/ignore-rules checkers/sql/statement
  engine/long-names
`).map((file) => `test/${file}.test.ts`)

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: SHARED,
          exclude: [...MEASURE, ...notAsked.map(([, files]) => files)],
          isolate: false,
          execArgv: [WASM_AS_IT_COMES],
        },
      },
      {
        extends: true,
        test: {
          name: 'own',
          include: ['test/**/*.test.ts'],
          exclude: [...SHARED, ...notAsked.map(([, files]) => files)],
          execArgv: [WASM_AS_IT_COMES],
        },
      },
      // After all others, and fewer at once: some of them wait for deadlines, the others measure.
      {
        extends: true,
        test: { name: 'measure', include: MEASURE, maxWorkers: 3, sequence: { groupOrder: 1 } },
      },
    ],
    globalSetup: fileURLToPath(new URL('test/support/shared-artifacts.ts', import.meta.url)),
    setupFiles: [fileURLToPath(new URL('test/support/cpu-time.ts', import.meta.url))],
    // Against what hangs: how long a test may take on a busy machine is not for a limit to say.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    // A second, by default, is no time on a machine that is busy.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Many tests wait for a real deadline; two would leave the machine idle.
    maxWorkers: 4,
    sequence: { sequencer: LongOnesFirst },
  },
})
