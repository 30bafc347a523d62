/** Every generated page or source, and every page with generated parts, as it has to be. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { builtinCheckers } from '../../src/checkers/index.ts'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { builtinContacts } from '../../src/contacts/index.ts'
import { root } from '../steps.mjs'
import { checkReport } from './check-report.ts'
import { checkerIndex, checkerPage } from './checker-pages.ts'
import { cliPage, importsPage } from './cli-pages.ts'
import { contactTable } from './contact-table.ts'
import {
  bodies,
  engineEvents,
  mutationTable,
  requestHead,
  retryTable,
  stateTable,
  transitionTable,
  webhookEvents,
} from './filled-pages.ts'
import { CHECKER_DESCRIPTIONS, checkerDescriptions, contactDescriptions } from './descriptions.ts'
import { llmsText } from './llms.ts'
import { fill } from './markdown.ts'
import { mountingParts } from './mounting-page.ts'
import { overviewParts } from './overview-page.ts'
import { causesPage, settingsPage } from './reference-pages.ts'
import { restSession, routeDetails, routeTable } from './rest-pages.ts'
import { specificationPage } from './specification.ts'
import { completeStore, storeMembers, storeTables } from './store-page.ts'
import { templateExamples } from './template-examples.ts'
import { webhookExamples } from './webhook-examples.ts'

export function documentedCheckers(): readonly AnyChecker[] {
  return builtinCheckers({ extra: true })
}

/** Path below the root to text. Pages of checkers that nobody has begun are left out. */
export async function generatePages(): Promise<ReadonlyMap<string, string>> {
  const checkers = documentedCheckers()
  const examples = await webhookExamples(checkers)
  const pages = new Map<string, string>([
    ['docs/reference/settings.md', settingsPage(checkers)],
    ['docs/reference/causes.md', causesPage(checkers)],
    ['docs/reference/cli.md', await cliPage()],
    ['docs/reference/imports.md', importsPage()],
    ['docs/design/specification.md', specificationPage()],
    ['llms.txt', llmsText(checkers)],
    filled('docs/overview.md', overviewParts(checkers, read('docs/reference/events.md'))),
    filled('README.md', { check: checkReport() }),
    filled('docs/README.md', { checkers: checkerIndex(checkers) }),
    filled('docs/guide/mounting-the-api.md', mountingParts()),
    filled('docs/guide/contacts.md', {
      kinds: contactTable(),
      templates: await templateExamples(),
    }),
    filled('docs/reliability.md', { mutation: mutationTable() }),
    filled('docs/extend/store.md', {
      tables: storeTables(),
      example: completeStore(),
      members: storeMembers(),
    }),
    filled('docs/reference/events.md', {
      engine: engineEvents(),
      webhooks: webhookEvents(checkers),
    }),
    filled('docs/reference/states.md', { states: stateTable(), transitions: transitionTable() }),
    filled('docs/reference/webhook.md', {
      request: requestHead(examples),
      retries: retryTable(),
      bodies: bodies(examples),
    }),
    filled('docs/reference/rest.md', {
      routes: routeTable(),
      session: await restSession(checkers),
      details: routeDetails(),
    }),
  ])
  for (const checker of checkers) {
    const path = `docs/checkers/${checker.type}.md`
    if (existsSync(join(root, path))) pages.set(path, checkerPage(read(path), checker))
  }
  for (const [path, text] of checkerDescriptions(checkers)) pages.set(path, text)
  pages.set('src/contacts/descriptions.ts', contactDescriptions(builtinContacts()))
  const options = await resolveConfig(join(root, 'docs/README.md'))
  const formatted = new Map<string, string>()
  for (const [path, text] of pages) {
    const parser = path.endsWith('.ts') ? 'typescript' : 'markdown'
    formatted.set(path, await format(text, { ...options, parser }))
  }
  return formatted
}

/** Files in generated folders that are not among these pages: those of a checker that was removed. */
export function stalePages(pages: ReadonlyMap<string, string>): readonly string[] {
  return readdirSync(join(root, CHECKER_DESCRIPTIONS))
    .map((name) => `${CHECKER_DESCRIPTIONS}/${name}`)
    .filter((path) => !pages.has(path))
}

function filled(path: string, parts: Readonly<Record<string, string>>): [string, string] {
  const text = Object.entries(parts).reduce(
    (before, [name, content]) => fill(before, name, content),
    read(path),
  )
  return [path, text]
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}
