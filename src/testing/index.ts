/**
 * Test tools of watchpost, for the tests of what you build on it.
 *
 * @module watchpost/testing
 */

export { checkerSuite } from './checker-suite.ts'
export type { CheckerSuiteOptions, SuiteCase } from './checker-suite.ts'
export { recordingTransport } from './recording-transport.ts'
export { simulatedClock } from './simulated-clock.ts'
export type { SimulatedClock } from './simulated-clock.ts'
export { storeSuite } from './store-suite/index.ts'
