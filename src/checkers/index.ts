/**
 * The checkers that ship with watchpost, by name and all together.
 *
 * @module
 */

import { blacklist } from './blacklist/index.ts'
import { dns } from './dns/index.ts'
import { heartbeat } from './heartbeat/index.ts'
import { http } from './http/index.ts'
import { tcp } from './tcp.ts'

export { blacklist, dns, heartbeat, http, tcp }

/** One of each, in the order of the documentation: what `createEngine({ checkers })` takes. */
export const builtinCheckers = () => [http(), tcp(), dns(), heartbeat(), blacklist()] as const
