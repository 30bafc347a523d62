import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { descriptionOf } from '../../scripts/docs/descriptions.ts'
import { root } from '../../scripts/steps.mjs'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { builtinCheckers } from '../../src/checkers/index.ts'
import { builtinContacts } from '../../src/contacts/index.ts'
import { http } from '../../src/checkers/http/index.ts'
import { ping } from '../../src/checkers/ping.ts'
import { ntfyContact } from '../../src/contacts/ntfy.ts'
import { fieldNamed } from '../../src/fields/field.ts'
import type { FieldTable } from '../../src/fields/field.ts'
import type { AnyContactKind } from '../../src/webhook/contact-kind.ts'

const file = join(root, 'test/types/written.ts')

let written = `
import { createEngine, defineChecker, field, runCheck, up } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { builtinContacts } from 'watchpost/contacts'
import { http } from 'watchpost/checkers/http'
import { ping } from 'watchpost/checkers/ping'
import { defineMonitors } from 'watchpost/monitors'
import { memoryStore } from 'watchpost/store/memory'

const own = defineChecker({
  type: 'own',
  title: 'Own',
  description: 'Of a user',
  fields: {
    /** Where it is */
    host: field.host({ description: 'Where it is' }).required(),
    pace: field.integer({ description: 'How fast', min: 1, max: 9 }).default(5),
  },
  target: ({ host }) => host,
  run: () => Promise.resolve(up()),
})
const otherTcp = defineChecker({
  type: 'tcp',
  title: 'Other',
  description: 'Has the name of a built-in one',
  fields: { path: field.text({ description: 'A socket' }).required() },
  target: ({ path }) => path,
  run: () => Promise.resolve(up()),
})
const engine = createEngine({
  store: memoryStore(),
  checkers: [...builtinCheckers({ extra: true }), own],
  contacts: builtinContacts(),
})
`

const ofMonitors = (builtinCheckers({ extra: true }) as readonly AnyChecker[]).map(
  ({ type, fields }) => ({
    type,
    fields,
    places: writeAll(`await engine.monitors.create({ type: '${type}',`, fields),
  }),
)
const ofContacts = (builtinContacts() as readonly AnyContactKind[]).map(({ kind, fields }) => ({
  kind,
  fields,
  places: writeAll(`await engine.contacts.create({ kind: '${kind}', name: 'a',`, fields),
}))

const USER = ofSetting(http().fields.auth.info.fields ?? {}, 'user')
const METHOD = ofSetting(http().fields, 'method')
const TOPIC = ofSetting(ntfyContact().fields, 'topic')
const elsewhere = [
  [`await engine.monitors.create({ type: 'http', url: '', auth: { user|: 'a' } })`, USER],
  [`await engine.monitors.update(1, { type: 'http', method|: 'GET' })`, METHOD],
  [`defineMonitors([{ type: 'http', key: 'a', url: '', method|: 'GET' }])`, METHOD],
  [`await runCheck(http, { url: '', method|: 'GET' })`, METHOD],
  [`const view = await engine.monitors.get(1); if (view.type === 'http') view.method|`, METHOD],
  [`await engine.contacts.update(1, { kind: 'ntfy', topic|: 'a' })`, TOPIC],
  [`const [it] = await engine.contacts.list(); if (it?.kind === 'ntfy') it.settings.topic|`, TOPIC],
  [
    `const { details } = await runCheck(ping, { host: 'a' }); details.rtt_avg_ms|`,
    ping().measurements.rtt_avg_ms,
  ],
  [`await engine.monitors.create({ type: 'own', host|: 'a', pace: 1 })`, 'Where it is'],
  [`await runCheck(otherTcp, { path|: 'a' })`, ''],
].map(([line = '', text = '']) => ({ line, text, place: write(line)[0] }))

write(`// @ts-expect-error a number
await engine.monitors.create({ type: 'own', host: 'a', pace: '1' })`)
const [next = 0] = write(`// @ts-expect-error no address yet
await engine.monitors.create({ type: 'http', | })`)

const service = languageService()

describe('an editor shows what a setting means', () => {
  it('in code that is right', () => {
    expect(service.getSemanticDiagnostics(file).map(({ messageText }) => messageText)).toEqual([])
  })

  it.each(ofMonitors)('of a monitor: $type', ({ fields, places }) => {
    expect(places.map(shown)).toEqual(Object.values(fields).map(descriptionOf))
  })

  it.each(ofContacts)('of a contact: $kind', ({ fields, places }) => {
    expect(places.map(shown)).toEqual(Object.values(fields).map(descriptionOf))
  })

  it.each(elsewhere)('in $line', ({ text, place = 0 }) => {
    expect(shown(place)).toBe(text)
  })

  it('in the list of what may be written next', () => {
    const given = [file, next, 'method', undefined, undefined, undefined, undefined] as const
    const details = service.getCompletionEntryDetails(...given)
    expect(ts.displayPartsToString(details?.documentation)).toBe(METHOD)
  })
})

function ofSetting(fields: FieldTable, name: string): string {
  const found = fieldNamed(fields, name)
  if (found === undefined) throw new Error(`there is no ${name}`)
  return descriptionOf(found)
}

/** Adds a line without its `|`, and returns where these were. */
function write(line: string): readonly number[] {
  const parts = `{ ${line}\n}\n`.split('|')
  const places: number[] = []
  for (const part of parts) {
    written += part
    places.push(written.length)
  }
  return places.slice(0, -1)
}

function writeAll(before: string, fields: FieldTable): readonly number[] {
  const settings = Object.keys(fields).map((name) => `${name}|: undefined as never`)
  return write(`${before} ${settings.join(', ')} })`)
}

/** The text below the type where the mouse is on what ends at `place`. */
function shown(place: number): string {
  return ts.displayPartsToString(service.getQuickInfoAtPosition(file, place - 1)?.documentation)
}

function languageService(): ts.LanguageService {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root)
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot(path) {
      const text = path === file ? written : ts.sys.readFile(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
    readDirectory: (...given) => ts.sys.readDirectory(...given),
    directoryExists: (path) => ts.sys.directoryExists(path),
    getDirectories: (path) => ts.sys.getDirectories(path),
  })
}
