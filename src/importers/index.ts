/**
 * Lists of monitors out of what other monitors are configured with.
 *
 * @module
 */

export { fromBlackbox } from './blackbox/index.ts'
export type { BlackboxFiles } from './blackbox/index.ts'
export { fromGatus } from './gatus/index.ts'
export type { Imported, NotCarriedOver } from './imported.ts'
export { fromKuma } from './kuma/index.ts'
