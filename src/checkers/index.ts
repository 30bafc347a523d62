/**
 * The checkers that ship with watchpost, by name and all together.
 *
 * @module
 */

import { heartbeat } from './heartbeat/index.ts'
import { http } from './http/index.ts'

export { heartbeat, http }

/** One of each, in the order of the documentation: what `createEngine({ checkers })` takes. */
export const builtinCheckers = () => [http(), heartbeat()] as const
