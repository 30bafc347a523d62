/**
 * The routes of `serve`: the metrics, the status page, and the API for all other paths.
 *
 * @module
 */

import type { Engine } from '../../engine/api/engine.ts'
import type { Logger } from '../../logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import { createPage } from '../../page/fetch.ts'
import type { BuiltinLanguage } from '../../page/words/languages.ts'
import { createRest } from '../../rest/fetch.ts'
import { toNodeHandler } from '../../rest/node.ts'
import type { NodeHandler } from '../../rest/node.ts'

export interface SiteSettings {
  readonly secret_key: string | undefined
  readonly base_url: string | undefined
  readonly manage_contacts: boolean
  readonly public_tag: string | undefined
  readonly trust_proxy: string | undefined
  readonly languages: readonly BuiltinLanguage[]
  readonly time_zone: string | undefined
}

interface Shown {
  readonly engine: Engine
  readonly metrics: Metrics
}

export function siteOf(
  { engine, metrics }: Shown,
  settings: SiteSettings,
  logger: Logger,
): NodeHandler {
  const { secret_key, base_url, manage_contacts, public_tag, trust_proxy } = settings
  const { languages, time_zone } = settings
  const behind = { logger, ...(trust_proxy === undefined ? {} : { trustProxy: trust_proxy }) }
  const figures = toNodeHandler(metrics, behind)
  const api = toNodeHandler(createRest(engine, { logger, manageContacts: manage_contacts }), behind)
  const page = toNodeHandler(
    createPage(engine, {
      logger,
      publicPages: true,
      languages,
      timeZone: time_zone,
      // Without a key, a restart signs everybody out.
      ...(secret_key === undefined ? {} : { sessionKey: secret_key }),
      ...(base_url?.startsWith('https:') === true ? { secureCookies: true } : {}),
      ...(public_tag === undefined
        ? {}
        : { public: [{ slug: public_tag, title: 'Status', monitors: { tag: public_tag } }] }),
    }),
    behind,
  )
  return (req, res) => figures(req, res, () => page(req, res, () => api(req, res)))
}
