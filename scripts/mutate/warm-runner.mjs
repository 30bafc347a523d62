/**
 * A test runner for Stryker: its vitest runner with a worker thread that stays. A mutant is chosen by a variable
 * (all of them are compiled in), so that only the test files are loaded anew for each one, and a run takes
 * milliseconds where a new thread with all modules takes a third of a second.
 *
 * Mutants of code that runs as a module loads, and everything after a run that did not end by itself, get a new
 * thread. What a module keeps from its first call on (a table that is made when it is needed) is made without a
 * mutant: a thread runs each test once in this way first. A mutant that survives so is tried in a thread of its own
 * as well, where it takes part in what is kept.
 */

import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner'
import { ThreadsPoolWorker } from 'vitest/node'

/** Runs of one thread: what tests leave behind is bounded. */
const MAX_RUNS = 100

/** A thread, and the worker that vitest believes to be a new one each time. */
class WarmThread {
  /** @type {ThreadsPoolWorker | undefined} */
  thread
  runs = 0
  /** The tests that have run without a mutant. @type {Set<string>} */
  seen = new Set()

  /** Ends the thread; the next run begins with a new one. */
  async discard() {
    const { thread } = this
    this.thread = undefined
    this.runs = 0
    this.seen.clear()
    await thread?.stop()
  }
}

/**
 * The worker of one run: `start` and `stop` reach the thread only when it is new or unusable.
 *
 * @param {WarmThread} warm
 * @param {import('vitest/node').PoolOptions} options
 * @returns {import('vitest/node').PoolWorker}
 */
function workerOf(warm, options) {
  /** @type {Map<string, Set<(data: any) => void>>} */
  const listeners = new Map()
  /** @type {object | undefined} */
  let settings
  /** @param {string} type */
  const respond = (type) => {
    queueMicrotask(() => {
      for (const listener of listeners.get('message') ?? []) {
        listener({ type, __vitest_worker_response__: true })
      }
    })
  }
  let isNew = false
  return {
    name: 'warm',
    on(event, callback) {
      const set = listeners.get(event) ?? new Set()
      listeners.set(event, set.add(callback))
      warm.thread?.on(event, callback)
    },
    off(event, callback) {
      listeners.get(event)?.delete(callback)
      warm.thread?.off(event, callback)
    },
    send(message) {
      // Anything else is a call between the two sides.
      const request =
        /** @type {{ type?: string, context?: any, __vitest_worker_request__?: true }} */ (message)
      if (request.__vitest_worker_request__ !== true) {
        warm.thread?.send(message)
        return
      }
      if (request.type === 'stop') {
        respond('stopped')
        return
      }
      if (request.type === 'start') {
        settings = request.context.config
        if (isNew) warm.thread?.send(message)
        else respond('started')
        return
      }
      // The settings of this run: the thread knows those of its first one.
      const context = { ...request.context, config: settings }
      return warm.thread?.send(/** @type {any} */ ({ ...request, context }))
    },
    async start() {
      isNew = warm.thread === undefined
      if (warm.thread === undefined) {
        warm.thread = new ThreadsPoolWorker(options)
        await warm.thread.start()
      }
      for (const [event, set] of listeners) {
        for (const callback of set) warm.thread.on(event, callback)
      }
      warm.runs += 1
    },
    stop() {
      for (const [event, set] of listeners) {
        for (const callback of set) warm.thread?.off(event, callback)
      }
      return Promise.resolve()
    },
    deserialize: (data) => data,
  }
}

/**
 * What Stryker calls, in the part that is used here.
 *
 * @typedef {object} TestRunner
 * @property {() => unknown} capabilities
 * @property {() => Promise<void>} init
 * @property {(options: object) => Promise<object>} dryRun
 * @property {(options: MutantRun) => Promise<{ status: string }>} mutantRun
 * @property {() => Promise<void>} dispose
 * @property {Vitest} ctx
 */
/**
 * @typedef {object} Vitest
 * @property {readonly { config: object }[]} projects
 * @property {{ errorsSet: Set<unknown>, getFiles(): { result?: { state?: string } }[] }} state
 */
/**
 * @typedef {object} MutantRun
 * @property {'static' | 'runtime'} mutantActivation
 * @property {{ readonly id: string }} activeMutant
 * @property {readonly string[]} [testFilter] the tests that run the mutated code
 */

/** @param {unknown} injector */
function createRunner(injector) {
  const create = /** @type {(injector: unknown) => TestRunner} */ (
    /** @type {unknown} */ (vitestPlugins[0]?.factory)
  )
  const runner = create(injector)
  const warm = new WarmThread()
  const fresh = new WarmThread()

  /** @param {WarmThread} thread */
  function use(thread) {
    for (const { config } of runner.ctx.projects) {
      Object.assign(config, {
        isolate: false,
        pool: 'warm',
        poolRunner: {
          name: 'warm',
          /** @param {import('vitest/node').PoolOptions} options */
          createPoolWorker: (options) => workerOf(thread, options),
        },
      })
    }
  }

  function failsOutsideOfTests() {
    const { state } = runner.ctx
    return (
      state.errorsSet.size > 0 || state.getFiles().some((file) => file.result?.state === 'fail')
    )
  }

  /**
   * @param {WarmThread} thread
   * @param {MutantRun} options
   */
  async function runIn(thread, options) {
    use(thread)
    const result = await runner.mutantRun(options).catch((/** @type {unknown} */ error) => {
      // Stryker cannot put every error of a test file into words.
      if (!failsOutsideOfTests()) throw error
      return { status: 'error' }
    })
    if (result.status === 'timeout' || result.status === 'error') await thread.discard()
    // A test file that the mutant keeps from loading has no test that fails, and still the run fails.
    if (!['survived', 'error'].includes(result.status) || !failsOutsideOfTests()) return result
    const where = 'outside of the tests'
    return { status: 'killed', killedBy: [where], failureMessage: where, nrOfTests: 0 }
  }

  /**
   * What modules keep from the first run of these tests is not of a mutant.
   *
   * @param {MutantRun} options
   */
  async function warmUp(options) {
    const testFilter = (options.testFilter ?? []).filter((test) => !warm.seen.has(test))
    if (testFilter.length === 0) return
    await runIn(warm, { ...options, testFilter, activeMutant: { id: 'none' } })
    for (const test of testFilter) warm.seen.add(test)
  }

  /**
   * @param {MutantRun} options
   */
  async function runAlone(options) {
    try {
      return await runIn(fresh, options)
    } finally {
      await fresh.discard()
    }
  }

  return {
    capabilities: () => runner.capabilities(),
    init: () => runner.init(),
    /** @param {object} options */
    dryRun: (options) => runner.dryRun(options),
    /** @param {MutantRun} options */
    async mutantRun(options) {
      if (options.mutantActivation === 'static') return runAlone(options)
      if (warm.runs >= MAX_RUNS) await warm.discard()
      await warmUp(options)
      const result = await runIn(warm, options)
      return result.status === 'survived' ? runAlone(options) : result
    },
    async dispose() {
      await warm.discard()
      await fresh.discard()
      await runner.dispose()
    },
  }
}
createRunner.inject = /** @type {const} */ (['$injector'])

export const strykerPlugins = [{ kind: 'TestRunner', name: 'warm', factory: createRunner }]
