/**
 * `watchpost/page`: the status page over an engine, as one `fetch(Request)`.
 *
 * @module watchpost/page
 */

export { createPage } from './fetch.ts'
export type { StatusPage } from './fetch.ts'
export type { StatusPageOptions } from './options.ts'
export type { PageRate } from './http/requests.ts'
export type { Access, Authorize } from './session/access.ts'
export type { PageWords, SomeWords } from './words/language.ts'
export type { BuiltinLanguage } from './words/languages.ts'
export type { PublicStatus } from './public/public-facts.ts'
