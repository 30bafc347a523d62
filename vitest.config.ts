import { readdirSync, readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'
import { SHORT_LIVED } from './scripts/steps.mjs'

/** Files of a quarter of a minute and more, the longest first: begun last, one of them would run alone in the end. */
const LONGEST = words(`
  e2e/check-every-type simulation/simulation examples/examples faults/kill faults/own-network faults/postgres
  faults/secrets faults/rebinding faults/signals examples/frameworks faults/disk support/servers/postgres
  faults/clock-set faults/clock-of-the-machine faults/few-resources
  cli/serve probes/bullmq-faults checkers/mail/dovecot rest/fuzz/fuzz cli/probe store/postgres-faults package/docs
  page/published-browser checkers/sql/postgres page/connection checkers/mail/smtp-exim checkers/sql/mysql
  rest/openapi-tools checkers/resources page/layout rest/hosts engine/transfer cli/postgres checkers/ping
  engine/several-engines-postgres checkers/suite checkers/ssl/ssl checkers/mail/scripted probes/bullmq
  store/sqlite-faults net/resolver cli/strangers store/postgres
  checkers/mail/hostile checkers/hostile-documents page/browser checkers/sql/hostile page/many-monitors
  checkers/blacklist/registry-feed page/published engine/big-accounts checkers/http-long store/backlog
  checkers/http2-hostile checkers/content/hostile engine/many-windows checkers/domain-hostile checkers/dns
`).map((file) => `/test/${file}.test.ts`)

/** Projects one after the other, as the processes that files share end where another project comes between. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const place = ({ moduleId }: TestSpecification): number => {
      const listed = LONGEST.findIndex((file) => moduleId.endsWith(file))
      return listed === -1 ? LONGEST.length : listed
    }
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((each) =>
      sorted.filter(({ project }) => project === each).toSorted((a, b) => place(a) - place(b)),
    )
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
const MEASURE = [
  ...words(`
    net/connection net/dial net/dns/client net/http/body net/http/http2-lifetime store/sqlite-modes page/browser engine/garbage-of-checks
    checkers/*/hostile checkers/domain-hostile checkers/hostile-documents checkers/http2-hostile checkers/dns
    checkers/sql/statement
  `).map((file) => `test/${file}.test.ts`),
  ...measuring(),
]

/** Files with the turns of the event loop or the CPU time of something: garbage of other files would count. */
function measuring(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll(sep, '/')}`)
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => /\b(?:measure(?:Turns|Cpu)|leastTurns)\(/.test(readFileSync(file, 'utf8')))
}

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
          execArgv: SHORT_LIVED,
        },
      },
      {
        extends: true,
        test: {
          name: 'own',
          include: ['test/**/*.test.ts'],
          exclude: [...SHARED, ...notAsked.map(([, files]) => files)],
          execArgv: SHORT_LIVED,
        },
      },
      // After all others: some of them wait for deadlines, the others measure.
      {
        extends: true,
        test: { name: 'measure', include: MEASURE, sequence: { groupOrder: 1 } },
      },
    ],
    globalSetup: fileURLToPath(new URL('test/support/shared-artifacts.ts', import.meta.url)),
    setupFiles: [fileURLToPath(new URL('test/support/cpu-time.ts', import.meta.url))],
    // Against what hangs: how long a test may take on a busy machine is not for a limit to say.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A second, by default, is no time on a machine that is busy.
    expect: { poll: { timeout: 60_000 } },
    // What is compiled for one project is read by the others, and by the next run.
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: fileURLToPath(new URL('.cache/vitest', import.meta.url)),
    },
    pool: 'forks',
    // Many tests wait for a real deadline; two would leave the machine idle.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
  },
})
