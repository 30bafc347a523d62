/** The generated parts of docs/overview.md: tables of names, short enough to be read at once. */

import ts from 'typescript'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { builtinContacts } from '../../src/contacts/index.ts'
import { contactFields } from '../../src/engine/registry/contact-fields.ts'
import { commonFields } from '../../src/engine/registry/monitor-fields.ts'
import { describe } from '../../src/fields/describe.ts'
import type { FieldTable } from '../../src/fields/field.ts'
import { entries } from '../entries.mjs'
import { webhookEventNames } from './filled-pages.ts'
import { code, plain, table } from './markdown.ts'
import { membersOf, moduleComment, parseFile, valueExports } from './source-facts.ts'

/** Marker of the page to its content. `events` is the text of docs/reference/events.md. */
export function overviewParts(
  checkers: readonly AnyChecker[],
  events: string,
): Readonly<Record<string, string>> {
  return {
    subpaths: subpathTable(),
    types: `${names(commonFields(), () => true)}\n\n${typeTable(checkers)}`,
    contacts: `${names(contactFields, () => true)}\n\n${contactTable()}`,
    events: engineEventTable(),
    webhooks: webhookEventTable(checkers, events),
    options: `${engineOptionTable()}\n\nOthers, described in their types:\n\n${optionGroups()}`,
    calls: callList(),
    commands: commandList(),
  }
}

/** The checkers have one row together. */
function subpathTable(): string {
  const rows = entries
    .filter(({ subpath }) => !subpath.startsWith('./checkers/'))
    .map(({ subpath, source }) => [
      code(`watchpost${subpath.slice(1)}`),
      firstSentence(moduleComment(source)),
      valueExports(source).map(code).join(', '),
    ])
  const at = rows.findIndex(([name]) => name === code('watchpost/checkers')) + 1
  const one = 'One type, such as `http` from `watchpost/checkers/http`; loads no other.'
  const extra = 'One type beyond the sixteen; `builtinCheckers({ extra: true })` has all of them.'
  rows.splice(
    at,
    0,
    [code('watchpost/checkers/<type>'), one, 'the name of the type'],
    [code('watchpost/checkers/extra/<type>'), extra, 'the name of the type'],
  )
  return table(['Import', 'What it is', 'Values'], rows)
}

function typeTable(checkers: readonly AnyChecker[]): string {
  const rows = checkers.map(({ type, fields, description }) => [
    `[${code(type)}](checkers/${type}.md)`,
    firstSentence(plain(description)),
    names(fields, (required) => required) || 'none',
    names(fields, (required) => !required),
  ])
  return table(['`type`', 'What it checks', 'Required', 'Optional'], rows)
}

function contactTable(): string {
  const rows = builtinContacts().map(({ kind, title, fields }) => [
    kind === 'webhook' ? code(kind) : `[${code(kind)}](guide/contacts.md#${kind})`,
    plain(title),
    names(fields, (required) => required),
    names(fields, (required) => !required),
  ])
  return table(['`kind`', 'Name', 'Required', 'Optional'], rows)
}

function names(fields: FieldTable, wanted: (required: boolean) => boolean): string {
  return describe(fields)
    .filter(({ required }) => wanted(required))
    .map(({ name }) => code(name))
    .join(', ')
}

function engineEventTable(): string {
  const members = membersOf('src/engine/api/events.ts', 'EngineEvents')
  return table(
    ['Event', 'When'],
    members.map(({ name, about }) => [code(name), firstSentence(about)]),
  )
}

function webhookEventTable(checkers: readonly AnyChecker[], events: string): string {
  const rows = webhookEventNames(checkers).map((event) => {
    const [, below] = events.split(`\n### ${event}\n\n`)
    const told = below?.split('\n\n')[0]
    if (told === undefined) throw new Error(`docs/reference/events.md does not tell of ${event}`)
    const sentence = firstSentence(told).replace('(../guide/', '(guide/')
    return [`[${code(event)}](reference/events.md#${event})`, sentence]
  })
  return table(['Event', 'When'], rows)
}

function engineOptionTable(): string {
  const members = membersOf('src/engine/options.ts', 'EngineOptions')
  return table(
    ['Option', 'Meaning'],
    members.map(({ name, about }) => [code(name), about]),
  )
}

/** What takes the options, and where they are declared. */
const GROUPS: readonly (readonly [what: string, path: string, name: string])[] = [
  ['`limits` of the engine', 'src/engine/options.ts', 'EngineLimits'],
  ['`retention` of the engine', 'src/engine/options.ts', 'Retention'],
  ['`quotas` of the engine, or of an account', 'src/model/accounts.ts', 'AccountQuotas'],
  ['`sqliteStore(…)`', 'src/store/sqlite/open.ts', 'SqliteStoreOptions'],
  ['`postgresStore(…)`', 'src/store/postgres/options.ts', 'PostgresStoreOptions'],
  ['`bullmqProbes(…)`', 'src/probes/bullmq/options.ts', 'QueueOptions'],
  ['`createRest(engine, …)`', 'src/rest/fetch.ts', 'RestOptions'],
  ['`toNodeHandler(rest, …)`', 'src/rest/node.ts', 'NodeHandlerOptions'],
  ['`limitServer(server, …)`', 'src/rest/limits/options.ts', 'LimitServerOptions'],
  ['`createPage(engine, …)`', 'src/page/options.ts', 'StatusPageOptions'],
  ['`createMetrics(engine, …)`', 'src/metrics/metrics.ts', 'MetricsOptions'],
  ['`createClient(…)`', 'src/client/client.ts', 'ClientOptions'],
  ['`syncMonitors(…)`', 'src/monitors/sync.ts', 'SyncOptions'],
  ['`verifyWebhook(…)`', 'src/webhook/verify.ts', 'VerifyOptions'],
  ['`runCheck(checker, settings, …)`', 'src/engine/checks/run-check.ts', 'RunCheckOptions'],
  ['contact kinds, such as `slackContact(…)`', 'src/contacts/posting.ts', 'ContactOptions'],
]

function optionGroups(): string {
  const rows = GROUPS.map(([what, path, name]) => [
    what,
    membersOf(path, name)
      .map((member) => code(member.name))
      .join(', '),
  ])
  return table(['Of', 'Options'], rows)
}

function commandList(): string {
  return Object.values(COMMANDS)
    .map(({ usage, about }) => `${code(usage)}: ${about}`)
    .join('; ')
}

/** `monitors`: `create`, `list`, …, as the interfaces of the engine have them. */
function callList(): string {
  const scope = interfaceIn('src/engine/api/engine.ts', 'AccountScope')
  const rows = scope.members.filter(ts.isPropertySignature).flatMap(({ name, type }) => {
    if (type === undefined || !ts.isTypeLiteralNode(type)) return []
    return [[`engine.${name.getText()}`, methods(type.members)]]
  })
  const apart = [
    ['engine.maintenance', 'src/engine/api/maintenance.ts', 'MaintenanceServices'],
    ['engine.publicPages', 'src/engine/api/public-pages.ts', 'PublicPageServices'],
    ['engine.statusReports', 'src/engine/api/status-reports.ts', 'StatusReportServices'],
    ['engine.accounts', 'src/engine/api/accounts.ts', 'Accounts'],
    ['engine', 'src/engine/api/engine.ts', 'Engine'],
  ].map(([name = '', path = '', type = '']) => [name, methods(interfaceIn(path, type).members)])
  return [...rows, ...apart].map(([name = '', calls = '']) => `${code(name)}: ${calls}`).join('; ')
}

function interfaceIn(path: string, name: string): ts.InterfaceDeclaration {
  const found = parseFile(path).statements.find(
    (node): node is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(node) && node.name.text === name,
  )
  if (found === undefined) throw new Error(`${path} has no interface ${name}`)
  return found
}

function methods(members: ts.NodeArray<ts.TypeElement>): string {
  const called = members.filter(ts.isMethodSignature).map(({ name }) => code(name.getText()))
  return [...new Set(called)].join(', ')
}

/** Up to the first full stop before a space or the end. */
export function firstSentence(text: string): string {
  return (/^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text).replace(/\s+/g, ' ')
}
