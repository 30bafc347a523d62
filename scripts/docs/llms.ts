/**
 * llms.txt in the format of https://llmstxt.org: a title, a summary in a quotation, notes without headings, and
 * sections of links with a sentence each; a reader short of room may skip the section "Optional".
 */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyChecker } from '../../src/checkers/checker.ts'
import { root } from '../steps.mjs'
import { firstSentence } from './overview-page.ts'
import { plain } from './markdown.ts'

/** Sections in their order, and their pages as paths below docs, in theirs, each with its sentence. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Start here': {
    overview: 'The whole package on one page: imports, types, events, options, calls and rules.',
    'guide/quick-start': 'The server and the library, each in five minutes.',
    README: 'The list of all pages.',
  },
  Guide: {
    'guide/locations-and-confirmation': 'What counts as a failure: thresholds, locations, quorum.',
    'guide/notifications': 'Which contact receives what, and when.',
    'guide/contacts': 'Every contact kind with its settings, and templates of messages.',
    'guide/receiving-webhooks': 'How a receiver verifies and handles a webhook, in ten places.',
    'guide/mounting-the-api':
      'REST, page and metrics in node:http, Express, Fastify, Hono and more.',
    'guide/accounts': 'Your users and your accounts: sign-in, quotas, keys, metadata, audit log.',
    'guide/client': 'A typed client for the REST API of another watchpost.',
    'guide/status-page': 'The status page for you, and public pages for your customers.',
    'guide/monitors-as-code': 'A typed list of monitors, synced; imports from other tools.',
    'guide/planned-work-and-noise':
      'Maintenance, dependencies, flapping, a location without network.',
    'guide/production': 'What to set before people rely on it.',
    'guide/deploying': 'A container, compose, a systemd service.',
    'guide/moving-and-backing-up': 'Backup, restore, export and import of an account.',
    'guide/postgresql': 'PostgreSQL as the store that several engines share.',
    'guide/probes': 'Checks from other locations, over Redis.',
    'guide/metrics': 'Prometheus metrics, OpenTelemetry traces and metrics, logs.',
    'guide/testing': 'A simulated clock, checks of your own checker and store, a receiver.',
    'guide/bundling': 'esbuild, webpack, Vite, Next.js, single executables, containers.',
  },
  Reference: {
    'reference/imports': 'What each subpath exports.',
    'reference/platforms': 'Files, signals and pings of Linux, macOS, the BSDs and Windows.',
    'reference/settings': 'The settings that every monitor has.',
    'reference/events': 'Events of the engine and of webhooks.',
    'reference/causes': 'Every cause code, and what to check when it alerts you.',
    'reference/states': 'States, transitions, rounds, uptime.',
    'reference/errors': 'Every error with its code.',
    'reference/rest': 'Every route with its parameters and answers.',
    'reference/webhook': 'Request, signature, delivery and bodies of a webhook.',
    'reference/cli': 'Commands, flags and variables of the environment.',
    'reference/threat-model': 'Trust boundaries, what each guarantees, and what it does not.',
  },
  Extending: {
    'extend/checker': 'A check type of your own.',
    'extend/contact-kind': 'A contact kind of your own.',
    'extend/store': 'A store of your own, from five functions on rows.',
    'extend/probe-transport': 'A transport of your own between the engine and its locations.',
  },
  Optional: {
    'design/architecture': 'The parts and who may import whom.',
    'design/glossary': 'One meaning for each term.',
    'design/decisions': 'Departures from the specification, its gaps, decisions by topic.',
    'design/page': 'The page and its charts beside those of others, and what was learnt.',
    'design/specification': 'The specification by statement, with the tests that hold each.',
    performance: 'Method, figures, goals.',
    reliability: 'Guarantees under failure, and how they are tested.',
    scaling: 'What a check costs, and which resource runs out first.',
  },
}

const NOTES = `Links are relative to this file: they lead to pages of the installed package, and of the repository. In a project
that has it, \`npx watchpost docs\` lists the pages and \`npx watchpost docs overview\` prints one.`

const REPOSITORY = 'https://github.com/watchpost/watchpost/blob/HEAD/'

/** @throws for a page of docs that has no sentence, and for a sentence without its page */
export function llmsText(checkers: readonly AnyChecker[]): string {
  const types: Readonly<Record<string, string>> = Object.fromEntries(
    checkers.map(({ type, description }) => [
      `checkers/${type}`,
      firstSentence(plain(description)),
    ]),
  )
  const { Optional = {}, ...usual } = SECTIONS
  const sections = { ...usual, 'Check types': types, Optional }
  refuseDifference(Object.values(sections).flatMap(Object.keys))
  const { description, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly description: string
    readonly files: readonly string[]
  }
  return [
    '# watchpost',
    `> ${description}`,
    NOTES,
    ...Object.entries(sections).map(([name, pages]) => `## ${name}\n\n${listed(pages, files)}`),
  ].join('\n\n')
}

/** `files`: those of package.json, with `!` before a page that is in the repository only. */
function listed(pages: Readonly<Record<string, string>>, files: readonly string[]): string {
  return Object.entries(pages)
    .map(([page, about]) => {
      const path = `docs/${page}.md`
      const place = files.includes(`!${path}`) ? `${REPOSITORY}${path}` : path
      return `- [${titleOf(page)}](${place}): ${about}`
    })
    .join('\n')
}

function titleOf(page: string): string {
  return /^# (.+)$/m.exec(readFileSync(join(root, `docs/${page}.md`), 'utf8'))?.[1] ?? page
}

function refuseDifference(told: readonly string[]): void {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => path.replaceAll('\\', '/').slice(0, -'.md'.length))
  const different = [
    ...pages.filter((page) => !told.includes(page)),
    ...told.filter((page) => !pages.includes(page)),
  ]
  if (different.length > 0)
    throw new Error(`scripts/docs/llms.ts and docs differ in ${different.join(', ')}`)
}
